"""Tokens that say themselves whose they are: a published prefix and a known shape.

A token of the right shape counts even where it comes from a manual: nobody can tell it from a live one.
Only what was visibly blanked (`xxxx`) or spelt out in words (`sk-ant-your-key-goes-here`) does not.

Every pattern starts with a literal, and past it no two parts can match the same text, so a search is linear.
"""

import re
from typing import Final

from memhtml.safety.codes import Secret, SecretCode
from memhtml.safety.literals import is_wordy

__all__ = ["vendor_tokens"]

_BODY: Final = rb"[A-Za-z0-9_-]"
_SHAPES: Final[dict[SecretCode, tuple[bytes, ...]]] = {
    SecretCode.AWS_ACCESS_KEY: (rb"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",),
    SecretCode.GITHUB_TOKEN: (rb"gh[opusr]_[A-Za-z0-9]{20,}+", rb"github_pat_[A-Za-z0-9_]{22,}+"),
    SecretCode.GITLAB_TOKEN: (
        rb"gl(?:pat|dt|ptt|rt|cbt|agent|soat|ft|imt|oas|ffct)-[A-Za-z0-9_.-]{20,}+",
        rb"GR1348941[A-Za-z0-9_-]{20,}+",
    ),
    SecretCode.SLACK_TOKEN: (rb"xox[abceoprs]-[A-Za-z0-9-]{14,}+", rb"xapp-[0-9A-Za-z-]{14,}+"),
    SecretCode.SLACK_WEBHOOK: (
        rb"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9]+/[A-Za-z0-9]+/[A-Za-z0-9/]{16,}+",
    ),
    SecretCode.STRIPE_KEY: (rb"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}+", rb"whsec_[A-Za-z0-9+/=]{24,}+"),
    SecretCode.ANTHROPIC_KEY: (rb"sk-ant-[A-Za-z0-9_-]{16,}+",),
    SecretCode.OPENAI_KEY: (
        rb"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{16,}+",
        rb"sk-[A-Za-z0-9]{16,}+",
    ),
    SecretCode.GOOGLE_API_KEY: (
        rb"AIza[A-Za-z0-9_-]{30,}+",
        rb"GOCSPX-[A-Za-z0-9_-]{20,}+",
        rb"ya29\.[A-Za-z0-9_-]{20,}+",
    ),
    SecretCode.NPM_TOKEN: (rb"npm_[A-Za-z0-9]{30,}+",),
    SecretCode.PYPI_TOKEN: (rb"pypi-[A-Za-z0-9_-]{32,}+",),
    SecretCode.VENDOR_TOKEN: (
        rb"hf_[A-Za-z0-9]{30,}+",  # Hugging Face
        rb"gsk_[A-Za-z0-9]{32,}+",  # Groq
        rb"xai-[A-Za-z0-9]{40,}+",
        rb"r8_[A-Za-z0-9]{30,}+",  # Replicate
        rb"pplx-[A-Za-z0-9]{32,}+",  # Perplexity
        rb"sk-or-(?:v[0-9]-)?[A-Za-z0-9]{32,}+",  # OpenRouter
        rb"SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+",  # SendGrid
        rb"SK[0-9a-f]{32}(?![A-Za-z0-9])",  # Twilio
        rb"key-[0-9a-f]{32}(?![A-Za-z0-9])",  # Mailgun
        rb"do[opr]_v1_[0-9a-f]{40,}+",  # DigitalOcean
        rb"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32,}+",  # Shopify
        rb"dapi[0-9a-f]{32}(?![A-Za-z0-9])",  # Databricks
        rb"hv[sbr]\.[A-Za-z0-9_-]{24,}+",  # Vault
        rb"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}+",
        rb"rubygems_[0-9a-f]{40,}+",
        rb"lin_api_[A-Za-z0-9]{32,}+",
        rb"ntn_[A-Za-z0-9]{40,}+",
        rb"PMAK-[0-9a-f-]{40,}+",
        rb"gl(?:sa|c)_[A-Za-z0-9_+/=]{32,}+",  # Grafana
        rb"sntry[su]_[A-Za-z0-9_+/=-]{40,}+",
        rb"sbp_[0-9a-f]{40}",  # Supabase
        rb"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}+",
        rb"NRAK-[A-Z0-9]{27}",
        rb"figd_[A-Za-z0-9_-]{32,}+",
        rb"tskey-[a-z]{1,10}-[A-Za-z0-9-]{16,}+",
        rb"AGE-SECRET-KEY-1[A-Z0-9]{58}",
        rb"discord(?:app)?\.com/api/webhooks/[0-9]{15,}/[A-Za-z0-9_-]{40,}+",
        rb"[0-9]{8,10}+:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9])",  # Telegram
    ),
    SecretCode.JWT: (rb"(?<![_-])eyJ[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{4,}+\.[A-Za-z0-9_-]{8,}+",),
}
_VENDOR: Final = re.compile(
    rb"(?<![A-Za-z0-9])(?:"
    + b"|".join(b"(?P<%s>%s)" % (code.encode(), b"|".join(shapes)) for code, shapes in _SHAPES.items())
    + rb")"
)
_BLANKED: Final = re.compile(rb"[xX]{4}|(?i:your)")


def vendor_tokens(shadow: bytes, start: int, end: int) -> list[Secret]:
    """Return the tokens of known vendors between two places of `shadow`."""
    found = _VENDOR.search(shadow, start, end)
    tokens = []
    while found is not None:
        token = found.group()
        if found.lastgroup is not None and not (_BLANKED.search(token) or is_wordy(token)):
            tokens.append(Secret(SecretCode(found.lastgroup), *found.span()))
        found = _VENDOR.search(shadow, found.end(), end)
    return tokens
