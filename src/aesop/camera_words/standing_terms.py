"""Plain terms for what holds throughout a shot (size, height, side, lens, grip, place): the
patterns and what they name, and words that sound like such a value and mean something else."""

import re

from aesop.camera_words.spoken_numbers import plain_text

SHOT = r"(?: (?:shot|view|frame|framing|angle|position|perspective))?"
PEOPLE = (
    r"(?:person|character|subject|act(?:or|ress)|dancer|(?:wo)?man|runner|performer|girl|boy|guy"
    r"|kid"
    r"|child|lady|hero(?:ine)?|model|singer|boxer|fighter|knight|soldier|king|queen|bride|groom"
    r"|player|skater|detective|waiter|waitress|cook|chef|teacher|doctor|nurse|speaker|guitarist"
    r"|drummer|hunter|thief|monk|ninja|samurai|warrior|robot|avatar|pawn|talent|athlete|sprinter"
    r"|swimmer|gymnast|ballerina|walker|jogger|hiker|rider|princess|prince|boss|astronaut|sheriff"
    r"|cowboy)"
)
WHO = rf"(?:her|him|them|she|he|they|(?:(?:the|our|my) (?:\w+ )?)?{PEOPLE})"
THEIR = r"(?:(?:the|her|his|their) )?"

# Terms by what they name, in any order: at one place the longest match wins. `@shot` may be a word
# for a picture, `@who` is the person, `@people` a noun for them, and `@their` may be theirs.
STANDING_TERMS: dict[str, tuple[str, ...]] = {
    "size:extreme-wide": (
        r"(?:small|tiny|little|lost) in (?:the )?(?:frame|picture|shot)",
        r"(?:a|the size of a) (?:tiny )?(?:dot|speck|tiny figure)",
        r"(?:super|really|very|extremely) far away",
        r"(?:vls|vws)",
        r"(?:an? )?(?:extreme|very|ultra) (?:wide|long)@shot",
        r"establishing shot",
        r"(?:ews|xws|els|xls)",
    ),
    "size:wide": (
        r"totale",
        r"(?:a )?(?:wide|long|master)(?: establishing)? (?:shot|view|frame|framing)",
        r"(?:a |goes |go )?wide(?! (?:angle|lens|glass|open|arc|circle|orbit|turn|sweep"
        r"|on the (?:lens|phone)|river|grin"
        r"|smile|eyed|eyes?|leg))",
        r"(?:ws|ls)",
    ),
    "size:full": (
        r"halbtotale",
        r"(?:the )?(?:whole|entire) @people",
        r"(?:from )?(?:top|crown) to (?:toe|bottom|sole)s?",
        r"legs and all",
        r"(?:see|show|keep)s? @who (?:whole|entirely|completely|in full)",
        r"(?:whole|entire) (?:body|figure)",
        r"head to (?:foot|feet)",
        r"(?:a )?full (?:body |figure |length )?(?:shot|view|frame|framing)",
        r"head to toe",
        r"full (?:body|figure|length)",
        r"fs",
    ),
    "size:medium": (
        r"(?:a )?plano americano",
        r"halbnah",
        r"(?:from |at )?(?:the )?(?:hips?|belt) up",
        r"(?:a )?medium (?:long|full|wide)(?: shot)?",
        r"(?:(?:(?<=, )|^)|an? )(?:cowboy|american)(?= *,| *$)",
        r"(?:from the )?knees? up",
        r"(?:a )?knee shot",
        r"(?:a )?plan americain",
        r"(?:a )?(?:medium|mid|waist|cowboy|american) (?:shot|view|frame|framing)",
        r"(?:a )?medium(?! (?:close|speed|pace))",
        r"(?:ms|mls)",
        r"from the waist up",
        r"waist up",
        r"knees up",
    ),
    "size:close-up": (
        r"(?:a )?close shot",
        r"(?:the|her|his|their) face fills the (?:screen|frame|picture|shot)",
        r"(?<=arts )(?:on|at|with) (?:the|her|his|their) face",
        r"(?<=start )(?:on|at|with) (?:the|her|his|their) face",
        r"(?<=gins )(?:on|at|with) (?:the|her|his|their) face",
        r"(?<=opens )(?:on|with) (?:the|her|his|their) face",
        r"(?<=down )(?:on|to|onto) (?:the|her|his|their) face",
        r"(?<=descend )(?:on|to|onto) (?:the|her|his|their) face",
        r"gro(?:ß|ss)aufnahme",
        r"primer plano",
        r"gros plan",
        r"(?:right )?(?:up )?in (?:her|his|their) face",
        r"(?:(?<=, )|^)close(?= *,| *$)",
        r"close on @their(?:face|head)",
        # A place for the camera, unless it is how somebody is followed.
        r"(?:(?<=, )|^)(?:very |right |really |up )*close (?:to|in on) @who"
        r"(?= *,| *$| (?:with|on)\b)",
        r"(?<=zoom )(?:to|on) (?:the|her|his|their) face",
        r"(?:from the )?chest up",
        r"(?:a )?bust(?: shot)?(?! (?:up|out))",
        r"(?:a )?(?:close ?ups?|head and shoulders|tight (?:shot|frame|framing))(?:"
        r" (?:shot|view))?(?: (?:of|on) (?:the|her|his|their) (?:face|head))?",
        r"(?:a )?medium close ?ups?(?: shot)?",
        r"(?:cu|mcu)",
        r"(?:a )?(?:portrait|headshot)(?: (?:shot|framing))?",
        r"(?:a |goes |go )?tight(?:er)?(?: on (?:@who|(?:the|her|his|their) face))?",
        r"(?<=in )(?:on|to|towards?) (?:the|her|his|their) face",
        r"(?<=closer )(?:to|on) (?:the|her|his|their) face",
    ),
    "size:extreme-close-up": (
        r"close on @their(?:eyes?|mouth|lips)",
        r"(?:just|only) (?:the|her|his|their) (?:eyes?|mouth|lips|hands?)",
        r"(?:extremely|extreme|very|super|really) (?:close|tight)(?! ?ups?)",
        r"(?<=in )(?:on|to|into) (?:the|her|his|their) eyes?",
        r"(?<=zoom )(?:to|on|into) (?:the|her|his|their) eyes?",
        r"(?:a )?choker(?: shot)?",
        r"(?:an )?italian shot",
        r"(?:a )?macro(?: shot)?",
        r"(?:an? )?(?:extreme|big|very) close ?ups?(?: shot)?(?: (?:of|on)"
        r" (?:the|her|his|their) (?:face|eyes|head))?",
        r"(?:ecu|xcu|bcu)",
    ),
    "height:ground": (
        r"(?:from )?(?:a )?frogs?(?: eye)? perspective",
        r"low to the (?:ground|floor)",
        r"frog s(?: eye)?(?: view| perspective)?",
        r"(?:from |at )?(?:the )?ground level@shot",
        r"(?:the )?camera (?:is |lies )?on the (?:ground|floor)",
        r"(?:from |on |at )the (?:ground|floor)",
        r"worm s eye@shot",
    ),
    "height:low": (
        r"contre[ -]?plong[ée]e",
        r"(?:a )?trunk shot",
        r"(?:(?<=camera )|(?<=cam )|(?<=stay )|(?<=stays ))low(?: down)?",
        r"(?:(?<=, )|^)low(?: down)?(?= *,| *$)",
        r"low and (?=wide|close|tight)",
        r"looks up (?:at|to) @who",
        r"(?:from |at )?(?:a )?low angle(?: hero)?@shot",
        r"(?:a )?hero (?:shot|angle)",
        r"(?:looking|shooting|look) up(?: (?:at|to) @who)?",
        r"(?:(?<=, )|^)la(?= *,| *$)",
        r"shot up (?:at|to) @who",  # "a crane shot up" rises
        r"(?<!light )(?<!lit )from (?:below|a low (?:height|position))",
        r"knee level",
    ),
    "height:eye": (r"(?:from |at )?(?:an? )?(?:eye|chest|shoulder) (?:level|height)@shot",),
    "height:high": (
        r"(?<!contre )(?<!contre)plong[ée]e",
        r"(?:from )?(?:behind and|slightly|a bit|a little) above(?= *,| *$)",
        r"(?:pitched |tilted |looking |angled )?down (?:by |at |some |about |around )*(?:1[5-9]"
        r"|[234]\d|50) degrees",
        r"(?:1[5-9]|[234]\d|50) degrees? (?:down(?:wards?)?|from above|above)",
        r"(?:(?<=, )|^)high(?: up)?(?= *,| *$)",
        r"high and (?=wide|close|tight)",
        r"from (?:high|up|somewhere|a bit|slightly|just) above",
        r"(?:(?:as if |like )?(?:from )?(?:an? )?)?"
        r"(?:(?:security|surveillance|cctv) cam(?:era)?|cctv)"
        r"(?: (?:look|footage|view|angle|feed|style|shot))?",
        r"from high up",
        r"looks? down (?:at|on) @who",
        r"shoots? down (?:at|on) @who",
        r"(?:from |at )?(?:a )?high angle@shot",
        r"(?<!light )(?<!lit )from above",
        r"looking down(?: (?:at|on) @who)?",
        r"(?:(?<=, )|^)ha(?= *,| *$)",
    ),
    "height:overhead": (
        r"(?:as )?(?:seen )?by a bird",
        r"(?:pitched |looking |angled )?down (?:by |at |some |about )*(?:5[1-9]|[678]\d|90)"
        r" degrees",
        r"(?:directly|straight|right) from above",
        r"(?:a |an? )?top (?:shot|view)",
        r"(?:a )?plan view",
        r"(?:a )?zenith(?:al)?@shot",
        r"(?:from )?(?:a )?bird s eye@shot",
        r"overhead (?:shot|view|frame|framing|angle|position|perspective)",
        r"(?:(?<=, )|^|from |an )overhead",
        r"top ?down@shot",
        r"from the top",
        r"god s eye(?: view)?",
        # Who booms or rides straight down only moves.
        r"(?:look(?:s|ing)?|shoot(?:s|ing)?|film(?:s|ing|ed)?|fac(?:es?|ing)|point(?:s|ing|ed)?"
        r"|aim(?:s|ing|ed)?|seen) straight down(?: (?:at|on) @who)?",
        r"straight down (?:at|on) @who|^straight down$",
        r"(?:from )?(?:directly|straight|right) (?:above|overhead)(?: @who)?",
        r"aerial@shot",
    ),
    "side:front": (
        r"from (?:her|his|their) front",
        r"in front of @who",
        r"(?:(?<=, )|^)front(?:al)?(?= *,| *$)",
        r"(?:front|face|straight) on(?! to| past| by| and)",
        r"facing (?:us|the camera|camera|the lens)",
        r"from (?:the|in) front(?: of @who)?",
        r"frontal(?: shot| view)?",
        r"facing @who",
        r"head on@shot",
        r"front(?:al)? view",
    ),
    "side:three-quarter-front": (
        r"(?:3\d|4\d|5\d|60) degrees? (?:off|from|to the side of) (?:the |her |his |their"
        r" )?(?:front|face|nose)",
        r"(?:in |from )?(?:a )?(?:three quarters?|3 4)(?: front)?(?: profile)?@shot",
        r"diagonal(?:ly)? from (?:the )?front",
    ),
    "side:profile-left": (
        r"left side(?:d)? profile",
        r"(?:in )?profile(?: shot| view)? on (?:her|his|their) left(?: side)?",
        r"(?:in )?profile left",
        r"(?:her|his|their) left profile",
        r"(?:in |from )?(?:a )?left profile@shot",
        r"(?:in )?profile(?: shot| view)? from (?:the|her|his|their) left(?: side)?",
        r"from (?:her|his|their) left(?: side)?",
    ),
    "side:profile-right": (
        r"right side(?:d)? profile",
        r"(?:in )?profile(?: shot| view)? on (?:her|his|their) right(?: side)?",
        r"(?:in )?profile right",
        r"(?:her|his|their) right profile",
        r"(?:in |from )?(?:a )?right profile@shot",
        r"(?:in )?profile(?: shot| view)? from (?:the|her|his|their) right(?: side)?",
        r"from (?:her|his|their) right(?: side)?",
        r"(?:in )?profile(?: shot| view)?",
        r"side (?:view|on|angle)(?: shot)?",
        r"from (?:the|her|his|their) side",
    ),
    "side:three-quarter-back": (
        r"over (?:the|her|his|their|my|one)(?: (?:left|right))? shoulders?(?: shot| view)?"
        r"(?: of @who)?",
        r"over shoulders?(?: shot)?",
        r"ots(?: shot)?(?: of @who)?",
        r"(?:from )?(?:a |the )?(?:back|rear) (?:three quarters?|3 4)",
        r"from (?:the )?(?:back|behind) in (?:three quarters?|3 4)",
        r"(?:in |from )?(?:a )?(?:three quarters?|3 4) (?:back|rear|behind|(?:turned )?away"
        r"|from (?:the )?(?:back|behind|rear))@shot",
        r"diagonal(?:ly)? from (?:the )?(?:back|behind|rear)",
    ),
    "side:behind": (
        r"(?:start|open|begin)s?(?: on)? behind @who",
        r"from (?:her|his|their) back",
        r"(?:on|from) the back of (?:her|his|their) head",
        r"(?:(?<=, )|^)behind(?= *,| *$)",
        r"(?:(?<=, )|^|stay(?:s|ing)? |camera (?:is )?|we are |us |sit |lurk(?:s|ing)? )"
        r"(?:right |directly |straight |close |just )*behind @who(?: (?:head|back|shoulders))?",
        r"at (?:her|his|their) back",
        r"(?<!light )(?<!lit )from (?:directly |straight )?behind(?: @who)?",
        r"from the (?:back|rear)",
        r"(?:the )?back of (?:the|her|his|their) head",
        r"(?:back|rear) view",
    ),
    "lens:wide-angle": (
        r"(?:with a |at )?(?:fov|field of view)(?: of)? (?:[7-9]\d|1\d\d)(?: degrees?)?",
        r"(?:[7-9]\d|1\d\d)(?: degrees?)? (?:fov|field of view)",
        r"focal length(?: of)? (?:[89]|1\d|2[0-6])(?!\d)",
        r"go ?pro",
        r"(?:super |ultra |go |goes )*wide on the (?:lens|phone)",
        r"(?:with |on |through )?(?:an? )?(?:ultra|super|very) wide (?:angle )?(?:lens|glass)",
        r"(?:with |on |through )?(?:an? )?wide angle(?: lens| shot)?",
        r"(?:with |on )?(?:a )?(?:wide|short) lens",
        r"fish ?eye(?: lens| shot)?",
        r"(?:(?:shot )?(?:on|with) )?(?:an? )?(?:[89]|1\d|2[0-6]) ?(?:mm|mil)(?: lens)?",
    ),
    "lens:long-lens": (
        r"(?:with a |at )?(?:fov|field of view)(?: of)? (?:[5-9]|[12]\d|3[0-2])(?:"
        r" degrees?)?(?!\d)",
        r"(?:1\d|2\d|3[0-2])(?: degrees?)? (?:fov|field of view)",
        r"focal length(?: of)? (?:6[1-9]|[7-9]\d|[1-9]\d\d)",
        r"(?:with |on |through )?(?:a )?portrait lens",
        r"(?:with |on |through )?(?:a )?(?:long|tele|telephoto)(?: photo)? lens",
        r"telephoto(?: shot)?",
        r"(?:(?:shot )?(?:on|with) )?(?:an? )?(?:6[1-9]|[7-9]\d|[1-9]\d\d) ?(?:mm|mil)(?: lens)?",
    ),
    "grip:locked-off": (
        r"locked(?= *,| *$)",
        r"(?:on )?sticks(?= *,| *$)",
        r"(?:with |on )?(?:a )?(?:locked(?: off)? (?:camera|shot|tripod)|locked off|lock"
        r" off)(?: (?:camera|shot|tripod))?",
        r"on (?:the )?sticks",
        r"(?:on an? )?tripod(?: shot)?",
    ),
    "grip:dolly": (
        r"(?:do )?(?:not|no|without|less|stop|avoid)(?: \w+){0,3} (?:shak(?:e|es|y|ing)|wobbl(?:e"
        r"|y|ing)|jitter(?:s|y)?)(?: at all)?",
        r"on (?:a )?(?:dolly|rails|tracks?|slider)(?: tracks?)?",
        r"(?:with )?(?:a )?slider(?: shot)?",
    ),
    "grip:steadicam": (
        r"(?:with |on |from )?(?:a )?(?:steadi|glide ?cam|ronin)(?: shot)?",
        r"(?:with |on |from )?(?:a )?(?:steadicam|steady ?cam|gimbal|floating camera)(?: shot)?",
    ),
    "grip:handheld": (
        r"(?:camera )?on the shoulder(?= *,| *$)",
        r"handeld|hand hold",
        r"in (?:your|my) hands?",
        r"(?:a )?camera in hand",
        r"(?:some|a little|a bit of) (?:wobble|shake)",
        r"(?:with |from )?(?:a )?(?:hand ?held|shaky(?: cam)?|shoulder mounted)(?:"
        r" camera| shot)?",
        r"documentary style",
    ),
    "place:centre": (
        r"one point perspective",
        r"cent(?:er|re)(?:s|d|ed)? @who",
        r"(?:keep(?:s|ing)? )?(?:@who )?(?:cent(?:ere|re)d|in the"
        r" (?:cent(?:er|re)|middle)(?: of the (?:frame|picture|shot|image)|(?! of))"
        r"|dead cent(?:er|re))",
        r"(?:in )?cent(?:er|re)(?:ed)? (?:frame|framing|composition)",
        r"(?:wes anderson (?:style )?)?symmetric(?:al)?(?: (?:framing|composition|shot))?",
        r"wes anderson(?: style)?",
    ),
    "place:left-third": (
        r"@who (?:on|to) the left(?: hand)? side(?! of (?:her|him|them|the person))",
        r"(?:(?:on|in|to) )?(?:the )?left third",
        r"on the left hand side",
        r"(?:@who )?(?:on|in|to) the left third(?: of the (?:frame|picture|image))?",
        r"frame left",
        r"(?:rule of thirds , |rule of thirds )?@who on the left(?: (?:side|half|third))?"
        r"(?: of (?:the )?(?:frame|picture|image|shot|screen))?",
        r"left of (?:the )?frame|(?:screen|picture) left",
        r"(?:keep(?:s|ing)? )?(?:@who )?left in (?:the )?(?:frame|picture|shot)",
        r"(?:(?<=, )|^)@who left(?= *,| *$)|^on the left$",
    ),
    "place:right-third": (
        r"@who (?:on|to) the right(?: hand)? side(?! of (?:her|him|them|the person))",
        r"(?:(?:on|in|to) )?(?:the )?right third",
        r"on the right hand side",
        r"(?:@who )?(?:on|in|to) the right third(?: of the (?:frame|picture|image))?",
        r"frame right",
        r"(?:rule of thirds , |rule of thirds )?@who on the right(?: (?:side|half|third))?"
        r"(?: of (?:the )?(?:frame|picture|image|shot|screen))?",
        r"right of (?:the )?frame|(?:screen|picture) right",
        r"(?:keep(?:s|ing)? )?(?:@who )?right in (?:the )?(?:frame|picture|shot)",
        r"(?:(?<=, )|^)@who right(?= *,| *$)|^on the right$",
    ),
    "place:head-room": (
        r"(?:lots of |plenty of |loads of |much )?(?:empty )?(?:space|sky|air|room) (?:over|above)"
        r" (?:her|his|their|the) heads?",
        r"loads of head ?room",
        r"(?:with |leaving |leave |give @who )?(?:lots of |plenty of |much |some )?head ?room(?:"
        r" above @who)?",
    ),
    "place:lead-room": (
        r"(?:let @who )?look(?:s|ing)? into (?:the )?(?:empty )?(?:space|frame)",
        r"(?:lots of |plenty of |some |more |empty |leave )*(?:space|room) (?:to )?where @who(?:"
        r" is| s)? (?:look|head|go|walk|fac|run)\w*",
        r"(?:lots of |plenty of |some |more |empty )*(?:space|room) (?:to look into|ahead"
        r"|(?:in front|ahead) of @who(?: face)?|in front(?= *,| *$))",
        r"(?:with |leaving |leave |give @who )?(?:some |plenty of )?(?:lead|look|looking|nose)"
        r" ?room(?: (?:in front of|ahead of|for) @who)?",
    ),
}

# Hands that are filmed do not hold the camera, and a usual focal length is neither wide nor long.
# "Close on her hands", "the hands": seen, not holding.
_HANDS = re.compile(
    r"\b(?:on|of|to|at|onto|towards?|only|just|see|show) (?:the|her|his|their) hands?\b"
)
_HOLDS = re.compile(
    r"\bhand ?hel?d|\bheld\b|\bshak|\bwobbl|\bjitter|\bshoulder\b|\bdocumentary|\bbreath|\bnervous"
    r"|\bin (?:\w+ ){1,2}hands?\b|\bby hand\b|\bhandi?cam|\bphone\b"
)
_USUAL_MM = re.compile(r"\b(?:2[7-9]|[345]\d|60) ?(?:mm|mil|millimet(?:er|re)s?)\b")
_OF_A_LENS = re.compile(
    r"\b(?:wide(?! shot)|short|long(?! shot)|tele\w*|fish ?eye|distort\w*|compress\w*|portrait"
    r"|flat\w*|squash\w*|bulg\w*|fov|field of view)\b"
)


def other_meanings(text: str) -> frozenset[str]:
    """Names of values that a text does not ask for, though it sounds like them."""
    plain = plain_text(text)
    names: set[str] = set()
    if _HANDS.search(plain) and not _HOLDS.search(plain):
        names.add("grip:handheld")
    if _USUAL_MM.search(plain) and not _OF_A_LENS.search(_USUAL_MM.sub(" ", plain)):
        names |= {"lens:wide-angle", "lens:long-lens"}
    return frozenset(names)
