"""The vocabulary of the generated corpus: plain English words, most useful first, drawn by Zipf's law.

Only lists stand here. Order is meaning: a word's rank decides how often it is drawn, so appending is safe for the
look of a corpus and still changes its bytes.
"""

__all__ = [
    "ADJECTIVES",
    "FIRST_NAMES",
    "LAST_NAMES",
    "NOUNS",
    "TOPICS",
    "VERBS",
    "participle",
    "past",
    "plural",
]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NOUNS: tuple[str, ...] = _words(
    """
server request index release test build deploy cache queue table error customer report branch review job session
field page query record schema service token worker log backup client config module package region cluster account
invoice order payment event metric alert window limit timeout retry budget meeting decision owner team plan draft
note sample sensor valve pump filter battery cable probe reading bay greenhouse shelf label batch recipe oven flour
route bridge tunnel signal platform ticket passenger schedule driver engine brake wheel axle harbor vessel cargo
container crane permit inspector audit ledger balance currency margin forecast quarter contract clause vendor
supplier warehouse pallet barcode scanner printer screen keyboard monitor laptop router switch antenna firmware
kernel thread process socket buffer pointer register compiler parser lexer grammar symbol node edge graph tree leaf
root path folder file archive snapshot commit patch merge conflict rebase remote mirror fork license author editor
reader library chapter paragraph sentence word letter footnote citation source quote claim proof theorem lemma axiom
sum product matrix vector column row cell cursor lock transaction rollback journal checkpoint replica shard
partition bucket hash digest key certificate secret password cookie header body payload response status code gateway
proxy balancer firewall subnet domain zone address packet frame latency throughput bandwidth jitter outage incident
postmortem runbook pager rotation handover shift desk office floor elevator stair corridor door badge visitor guest
host speaker audience slide handout workshop lecture seminar course student teacher exam grade lesson syllabus
notebook pencil marker board diagram chart legend axis scale ruler compass map terrain valley ridge river stream
lake pond marsh meadow forest orchard garden fence gate barn stable tractor plough harvest seed soil compost
fertilizer irrigation drought frost rain wind storm cloud temperature humidity pressure altitude depth current tide
wave shore beach cliff cave quarry mine ore metal copper iron steel alloy weld rivet bolt nut screw washer gasket
bearing shaft gear pulley belt chain hook rope knot anchor sail mast hull deck cabin galley stove pan kettle spoon
bowl plate cup glass bottle jar lid box crate bag basket sack drawer cupboard counter sink tap pipe drain sewer
meter gauge dial lamp bulb fuse breaker circuit resistor capacitor inductor diode transistor amplifier microphone
recorder tape reel film lens camera tripod shutter exposure pixel image photo album gallery museum exhibit curator
painting sculpture canvas brush pigment ink paper cardboard glue scissors needle fabric cotton wool silk linen
pattern seam button zipper pocket collar sleeve jacket coat boot shoe sock glove hat scarf umbrella suitcase
backpack passport visa border customs tariff tax receipt refund discount coupon voucher price cost fee fine penalty
bonus salary wage pension insurance policy premium claimant lawyer judge court verdict appeal witness evidence
statute treaty embassy minister council mayor citizen voter ballot campaign survey poll statistic census district
village town city suburb county province country continent island peninsula desert jungle tundra glacier volcano
earthquake flood fire smoke ash dust sand gravel stone brick cement concrete mortar plaster tile roof chimney attic
cellar basement garage driveway pavement street avenue crossing traffic lane junction roundabout parking bicycle
pedal saddle helmet scooter tram train carriage station airport runway hangar pilot cockpit wing rudder propeller
turbine fuel tank nozzle exhaust muffler radiator coolant thermostat heater boiler furnace vent duct fan compressor
condenser refrigerator freezer thermometer syringe bandage clinic nurse doctor patient symptom diagnosis dose tablet
vaccine virus bacteria tissue organ muscle bone joint nerve brain heart lung liver kidney stomach blood vein pulse
breath sleep dream memory habit skill talent effort result outcome effect cause reason motive goal target milestone
deadline estimate scope feature requirement constraint assumption risk mitigation dependency blocker backlog sprint
story epic demo prototype launch rollout migration cutover fallback flag toggle experiment variant control baseline
benchmark profile trace span histogram percentile median average variance outlier trend season cycle phase stage
step loop condition rule exception handler callback listener observer publisher subscriber topic message envelope
channel offset lag consumer producer broker scheduler cron trigger webhook endpoint resource method verb parameter
argument variable constant function class object instance interface protocol fixture mock stub assertion coverage
regression bug defect workaround hotfix changelog version tag roadmap wiki glossary manual tutorial example template
snippet macro script command option default override environment sandbox staging production tenant workspace project
portfolio program initiative charter stakeholder sponsor manager engineer designer analyst researcher operator
technician mechanic electrician plumber carpenter mason painter gardener farmer fisher hunter baker butcher brewer
cook waiter barista cashier clerk librarian archivist historian journalist poet novelist composer violinist pianist
drummer singer dancer actor director critic rehearsal premiere
"""
)

VERBS: tuple[str, ...] = _words(
    """
check move change load store return open close start call fail update create remove restart measure confirm record
report review replace rename archive merge deploy release test compile parse index query fetch cache retry limit
reject accept approve sign verify validate audit trace monitor watch filter sort rank score compare match join group
count estimate schedule delay cancel resume pause ignore handle raise import export convert encode decode encrypt
hash compress expand truncate append insert delete restore rotate migrate copy mirror clone fork push pull link
attach detach mount share publish announce explain document describe label color print paint weigh taste bake boil
cool heat melt pour mix fold roll stretch press crush wash rinse dry clean polish repair mend fix adjust tune
calibrate align level tighten loosen lift lower turn twist lock unlock seal cover pack unpack receive deliver
collect gather harvest plant water prune weed drill saw hammer weld solder wire connect disconnect charge discharge
inspect examine observe discover notice remember recall suggest propose discuss debate argue agree refuse decline
promise warn blame praise reward train study practice rehearse perform attend visit travel walk climb sail fish hunt
camp cook serve order purchase trade invest borrow owe refund invoice insure claim settle appeal judge vote elect
appoint promote hire dismiss retire manage guide assist support protect defend attack escape rescue survive recover
improve reduce increase double halve extend shorten widen narrow deepen divide multiply subtract solve prove derive
simplify generalize assume define declare assign allocate reserve acquire obtain provide supply request require
expect select avoid prevent block allow enable disable toggle switch inherit implement design sketch outline draft
edit revise translate quote cite mention reference
"""
)

ADJECTIVES: tuple[str, ...] = _words(
    """
new old first last stable slow fast small large empty full open closed local remote public private shared single
double daily weekly monthly yearly early late cold warm hot dry wet clean dirty bright dark loud quiet heavy light
thin thick short long narrow wide deep shallow high low flat steep smooth rough sharp blunt soft hard simple complex
direct indirect exact partial complete missing stale fresh valid invalid safe risky cheap costly rare common usual
odd strict loose active passive manual automatic nightly internal external upstream downstream primary secondary
temporary permanent visible hidden nested linear parallel serial random sorted unique duplicate broken working spare
northern southern eastern western central rural urban coastal inland wooden metallic plastic ceramic digital analog
mechanical electric hydraulic thermal optical magnetic chemical organic seasonal annual legal formal casual verbal
written printed recorded measured estimated planned unplanned urgent minor major critical harmless reversible final
"""
)

#: (tag, words of the subject that titles and claims of that tag speak of).
TOPICS: tuple[tuple[str, tuple[str, ...]], ...] = tuple(
    (line.split(":")[0].strip(), tuple(line.split(":")[1].split()))
    for line in """
postgres: vacuum planner replication slot autovacuum tablespace sequence trigger
sqlite: wal pragma checkpoint pager fts rowid savepoint vfs
kubernetes: pod ingress daemonset taint kubelet namespace operator rollout
terraform: state module provider workspace drift plan backend import
networking: dns tls bgp vlan gateway anycast socket mtu
security: token oauth cipher secret rotation audit sandbox permission
python: asyncio wheel decorator generator import dataclass venv pickle
typescript: generic union bundler decorator enum tsconfig promise module
rust: borrow lifetime crate trait cargo macro unsafe iterator
git: rebase worktree bisect reflog submodule hook blob merge
frontend: layout hydration stylesheet router accessibility bundle font viewport
mobile: gesture keychain widget notification emulator provisioning crash battery
observability: span exporter histogram dashboard cardinality sampling alert slo
messaging: partition consumer offset broker rebalance tombstone topic ordering
search: tokenizer stemming ranking synonym shard analyzer recall facet
machine-learning: embedding gradient checkpoint label drift feature tuning inference
data-pipelines: backfill watermark schema warehouse partition lineage batch airflow
testing: fixture flake mutation snapshot coverage harness property mock
release: changelog tag canary rollback artifact signing freeze version
finance: invoice ledger accrual margin budget forecast currency audit
hiring: interview rubric offer onboarding referral panel calibration scorecard
sensors: probe calibration drift humidity salinity threshold firmware battery
greenhouse: seedling irrigation vent ripening nutrient trellis mildew lighting
bakery: dough hydration levain oven crumb proofing flour scoring
sailing: halyard jib keel tide mooring reef rudder forecast
travel: visa itinerary layover hostel ferry timetable luggage currency
health: sleep posture dosage allergy vaccine physio recovery pulse
music: tempo chord reverb score rehearsal tuning octave mixing
photography: exposure aperture tripod histogram lens shutter print archive
electronics: resistor oscilloscope solder footprint regulator ground impedance firmware
""".strip().splitlines()
)

FIRST_NAMES: tuple[str, ...] = _words(
    """
Mara Jonas Amina Tobias Ingrid Rafael Yuki Priya Samuel Leila Viktor Nadia Oskar Chiara Bilal Hanna Diego Freya
Kofi Elena Marek Sofia Arjun Tamsin Emeka Lucia Anders Noor Pavel Greta Hugo Zainab Mateo Astrid Kwame Irina
"""
)

LAST_NAMES: tuple[str, ...] = _words(
    """
Okafor Lindqvist Moreau Tanaka Brandt Silva Novak Haddad Petrov Keller Rossi Nakamura Andersen Mensah Duarte Kowalski
Farouk Jensen Castillo Weber Iyer Laurent Bergman Osei Marino Varga Hoffmann Sato Lund Abebe
"""
)


def plural(noun: str) -> str:
    if noun.endswith(("s", "x", "ch", "sh", "z")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + "ed"


def participle(verb: str) -> str:
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return verb + "ing"
