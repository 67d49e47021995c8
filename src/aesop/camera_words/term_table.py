"""Plain terms for every value of the camera vocabulary: the patterns, and what they name."""

from aesop.camera_words.attributes import Pace

SHOT = r"(?: (?:shot|view|frame|framing|angle|position|perspective))?"
WHO = (
    r"(?:her|him|them|she|he|they"
    r"|(?:the )?(?:person|character|subject|actor|actress|dancer|man|woman|runner|performer))"
)
THEIR = r"(?:(?:the|her|his|their) )?"

# Terms by what they name, in any order: at one place the longest match wins. `@shot` may be a word
# for a picture, `@who` is the person and `@their` may be theirs.
TERMS: dict[str, tuple[str, ...]] = {
    "size:extreme-wide": (
        r"(?:vls|vws)",
        r"(?:an? )?(?:extreme|very|ultra) (?:wide|long)@shot",
        r"establishing shot",
        r"(?:ews|xws|els|xls)",
    ),
    "size:wide": (
        r"(?:a )?(?:wide|long|master)(?: establishing)? (?:shot|view|frame|framing)",
        r"(?:a |goes |go )?wide(?! (?:angle|lens|glass|open|arc|circle|orbit|turn|sweep"
        r"|on the (?:lens|phone)|river|grin"
        r"|smile|eyed))",
        r"(?:ws|ls)",
    ),
    "size:full": (
        r"(?:whole|entire) (?:body|figure)",
        r"head to (?:foot|feet)",
        r"(?:a )?full (?:body |figure |length )?(?:shot|view|frame|framing)",
        r"head to toe",
        r"full (?:body|figure|length)",
        r"fs",
    ),
    "size:medium": (
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
        r"(?:right )?(?:up )?in (?:her|his|their) face",
        r"(?:(?<=, )|^)close(?= *,| *$)",
        r"close on @their(?:face|head)",
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
        r"low to the (?:ground|floor)",
        r"frog s(?: eye)?(?: view| perspective)?",
        r"(?:from |at )?(?:the )?ground level@shot",
        r"(?:the )?camera (?:is |lies )?on the (?:ground|floor)",
        r"(?:from |on |at )the (?:ground|floor)",
        r"worm s eye@shot",
    ),
    "height:low": (
        r"(?:(?<=, )|^)low(?: down)?(?= *,| *$)",
        r"low and (?=wide|close|tight)",
        r"looks up (?:at|to) @who",
        r"(?:from |at )?(?:a )?low angle(?: hero)?@shot",
        r"(?:a )?hero (?:shot|angle)",
        r"(?:looking|shooting|look) up(?: (?:at|to) @who)?",
        r"shot up (?:at|to) @who",  # "a crane shot up" rises
        r"(?<!light )(?<!lit )from (?:below|a low (?:height|position))",
        r"knee level",
    ),
    "height:eye": (r"(?:from |at )?(?:an? )?(?:eye|chest|shoulder) (?:level|height)@shot",),
    "height:high": (
        r"(?:(?<=, )|^)high(?: up)?(?= *,| *$)",
        r"high and (?=wide|close|tight)",
        r"from (?:high|up|somewhere|a bit|slightly|just) above",
        r"from high up",
        r"looks? down (?:at|on) @who",
        r"shoots? down (?:at|on) @who",
        r"(?:from |at )?(?:a )?high angle@shot",
        r"(?<!light )(?<!lit )from above",
        r"looking down(?: (?:at|on) @who)?",
    ),
    "height:overhead": (
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
        r"(?:from )?(?:a |the )?(?:back|rear) (?:three quarters?|3 4)",
        r"from (?:the )?(?:back|behind) in (?:three quarters?|3 4)",
        r"(?:in |from )?(?:a )?(?:three quarters?|3 4) (?:back|rear|behind|(?:turned )?away"
        r"|from (?:the )?(?:back|behind|rear))@shot",
        r"diagonal(?:ly)? from (?:the )?(?:back|behind|rear)",
    ),
    "side:behind": (
        r"(?:(?<=, )|^)behind(?= *,| *$)",
        r"(?:(?<=, )|^|stay(?:s|ing)? |camera (?:is )?|we are |us |sit |lurk(?:s|ing)? )"
        r"(?:right |directly |straight |close |just )*behind @who(?: (?:head|back|shoulders))?",
        r"at (?:her|his|their) back",
        r"(?<!light )(?<!lit )from (?:directly |straight )?behind(?: @who)?",
        r"from the (?:back|rear)",
        r"(?:the )?back of (?:the|her|his|their) head",
        r"(?:back|rear) view",
    ),
    "turn:pan-left": (
        r"(?:pans?|panning) back(?: to)?(?: the)? left",
        r"swivel(?:s|ling)?(?: to)?(?: the)? left",
        r"(?:pans?|panning)(?: shot)?(?: (?:to|towards?))?(?: the)? left(?:wards?)?",
        r"(?:pans?|panning)(?: from)?(?: the)? right to(?: the)? left",
        r"left pan",
    ),
    "turn:pan-right": (
        r"(?:pans?|panning) back(?: to)?(?: the)? right",
        r"swivel(?:s|ling)?(?: to)?(?: the)? right",
        r"(?:pans?|panning)(?: shot)?(?: (?:to|towards?))?(?: the)? right(?:wards?)?",
        r"(?:pans?|panning)(?: from)?(?: the)? left to(?: the)? right",
        r"right pan",
    ),
    "turn:tilt-up": (
        r"(?:tilts?|tilting|pans?|panning)(?: shot)? up(?:wards?)?(?: from @their(?:feet|shoes|toes"
        r"|boots))?(?: to @their(?:head|face|eyes))?",
        r"(?:an )?upwards? tilt",
    ),
    "turn:tilt-down": (
        r"(?:tilts?|tilting|pans?|panning)(?: shot)? down(?:wards?)?(?: from @their(?:head|face"
        r"|eyes))?(?: to @their(?:feet|shoes|toes|boots|hands|floor|ground))?",
        r"(?:a )?downwards? tilt",
    ),
    "turn:whip-pan": (
        r"whip(?:s|ping)?(?: a?round)?(?: (?:to|towards?))?(?: the)? (?:left|right)",
        r"whip(?:s|ping)? a?round",
        r"(?:whip|swish|flash) ?pans?(?:ning)?(?: shot)?"
        r"(?:(?: (?:to|towards?) the)? (?:left|right))?",
    ),
    "turn:pan-follow": (
        r"(?:pans?|panning) (?:following|along with)(?: (?:@who|the \w+))?",
        r"(?:pans?|panning|turns?) (?:to follow|with|after|along with)(?: @who)?",
        r"follow pan",
        r"following pan",
        r"follows? @who with a pan",
        r"pans? and follows?(?: @who)?",
    ),
    "turn:roll": (
        r"spinning camera",
        r"(?:rolls?|rolling)(?! (?:along|her|his|their|on|in|out|forward|back|up|down))"
        r"(?: the camera)?"
        r"(?: (?:sideways|over|around its axis))?"
        r"(?:(?: by)? (?:90|180|360|ninety)(?: degrees?)?)?",
        r"barrel roll",
        r"camera roll",
    ),
    "turn:dutch": (
        r"dutch(?:ed)?",
        r"tilt(?:s|ed)? the horizon",
        r"(?:the )?horizon (?:is )?(?:crooked|tilted|slanted|off)",
        r"(?:a )?(?:crooked|slanted) horizon",
        r"(?:a )?(?:dutch|canted|tilted|oblique)(?: (?:angle|tilt|shot|horizon|frame))+",
        r"tilted horizon",
    ),
    "lens:zoom-in": (
        r"punch(?:es|ing)? in(?: on @who)?",
        r"(?:slam|slow|fast|quick)(?: |ly )zoom(?! out| back| in)",
        r"(?:(?:crash|snap) )?(?:zooms?|zooming)(?: shot)? in"
        r"(?: (?:on|to|towards?) @who(?! (?:face|eyes|head|feet|hands)))?",
        r"(?:crash|snap) zoom(?! out| back| in)",
    ),
    "lens:zoom-out": (r"(?:zooms?|zooming)(?: shot)? (?:out|back)(?: (?:from|of) @who)?",),
    "lens:dolly-zoom": (
        r"(?:a )?(?:dolly zoom|vertigo (?:effect|shot|zoom)|zolly|trombone shot|contra zoom)"
        r"(?: like (?:in )?vertigo)?",
    ),
    "lens:wide-angle": (
        r"(?:super |ultra |go |goes )*wide on the (?:lens|phone)",
        r"(?:with |on |through )?(?:an? )?(?:ultra|super|very) wide (?:angle )?(?:lens|glass)",
        r"(?:with |on |through )?(?:an? )?wide angle(?: lens| shot)?",
        r"(?:with |on )?(?:a )?(?:wide|short) lens",
        r"fish ?eye(?: lens| shot)?",
        r"(?:(?:shot )?(?:on|with) )?(?:an? )?(?:[89]|1\d|2[0-6]) ?(?:mm|mil)(?: lens)?",
    ),
    "lens:long-lens": (
        r"(?:with |on |through )?(?:a )?portrait lens",
        r"(?:with |on |through )?(?:a )?(?:long|tele|telephoto)(?: photo)? lens",
        r"telephoto(?: shot)?",
        r"(?:(?:shot )?(?:on|with) )?(?:an? )?(?:6[1-9]|[7-9]\d|[1-9]\d\d) ?(?:mm|mil)(?: lens)?",
    ),
    "move:static": (
        r"never moves?(?: at all)?",
        r"(?:do )?not move(?: the camera)?(?: at all)?",
        r"hold(?: (?:it|the (?:shot|frame)))?(?= *$| *,)",
        r"no (?:camera )?(?:moves?|movement)",
    ),
    "move:push-in": (
        r"(?:creeps?|creeping|inch(?:es|ing)?|eases?|easing|sneaks?) (?:in|closer)"
        r"(?: (?:on|to|towards?) @who(?! face))?",
        r"(?:a )?(?:slow|gentle|fast|quick|subtle) push(?! (?:in|out|back|forward))(?: on @who)?",
    ),
    "move:boom-up": (
        r"ris(?:e|es|ing)(?: up)? (?:above|over)(?: @who)?",
        r"(?:cranes?|booms?|jibs?) up and over(?: @who)?",
    ),
    "move:follow": (
        r"(?:a )?(?:chase|follow) cam(?:era)?",
        r"(?:a )?chase shot",
    ),
    "move:follow-beside": (
        r"(?:follow(?:s|ing)?|track(?:s|ing)?)(?: shot)?(?: (?:of )?@who)? from @theirside",
        r"(?:a )?side tracking shot",
    ),
    "move:lead": (
        r"(?:follow(?:s|ing)?|track(?:s|ing)?)(?: shot)?(?: (?:of )?@who)? from (?:the|in) front"
        r"(?: of @who)?",
        r"(?:a )?walk and talk(?: shot)?",
        r"walk(?:s|ing)? backwards? (?:in front|ahead) of @who",
    ),
    "move:orbit": (
        r"bullet time",
        r"(?:spins?|spinning|moves?|moving|goes|go|walks?) a?round @who(?! to the| (?:left|right))",
        # With a side it is an arc, however somebody stands between.
        r"(?:an? )?(?<!leftward )(?<!rightward )orbits?(?:ing)?(?!(?: shot)?(?: (?:around )?@who)?"
        r" (?:to (?:the|her|his|their|its|camera) )?(?:left|right|(?:counter|anti)? ?clockwise))"
        r"(?: shot)?(?: (?:around )?@who)?",
        r"(?<!leftward )(?<!rightward )circl(?:e|es|ing)(?: all the way)? around @who(?! to the)",
    ),
    "move:fly-past": (
        r"(?:fl(?:y|ies|ying)|rush(?:es|ing)?|sweep(?:s|ing)?) (?:past|by)(?: @who)?",
        r"fly ?by(?: shot)?",
    ),
    "extent:quarter": (
        r"quarter (?=arc)",
        r"(?:a |for a |by a )?quarter (?:of a )?(?:circle|turn|orbit|way(?: around)?)",
        r"(?<!at )(?:by )?90(?: degrees?)?",
        r"(?<!at )ninety degrees?",
    ),
    "extent:half": (
        r"half (?=arc)",
        r"(?:a |for a |in a )?(?:half(?: of)?(?: a)?|semi) ?(?:circle|turn|orbit|way(?:"
        r" around)?)",
        r"(?:by |a )?180(?: degrees?)?(?: a?round @who)?",
    ),
    "extent:full": (
        r"(?:in )?(?:a )?(?:full|complete|whole|entire)"
        r" (?:circle|turn|orbit|revolution|rotation)",
        r"all the way a?round(?: @who)?",
        r"(?:by |a )?360(?: degrees?)?(?: shot)?(?: a?round @who)?",
        r"(?:a )?full circle around @who",
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
        r"on (?:a )?(?:dolly|rails|tracks?|slider)(?: tracks?)?",
        r"(?:with )?(?:a )?slider(?: shot)?",
    ),
    "grip:steadicam": (
        r"(?:with |on |from )?(?:a )?(?:steadi|glide ?cam|ronin)(?: shot)?",
        r"(?:with |on |from )?(?:a )?(?:steadicam|steady ?cam|gimbal|floating camera)(?: shot)?",
    ),
    "grip:handheld": (
        r"in (?:your|my) hands?",
        r"(?:a )?camera in hand",
        r"(?:some|a little|a bit of) (?:wobble|shake)",
        r"(?:with |from )?(?:a )?(?:hand ?held|shaky(?: cam)?|shoulder mounted)(?:"
        r" camera| shot)?",
        r"documentary style",
    ),
    "place:centre": (
        r"cent(?:er|re)(?:s|d|ed)? @who",
        r"(?:keep(?:s|ing)? )?(?:@who )?(?:cent(?:ere|re)d|in the"
        r" (?:cent(?:er|re)|middle)(?: of the (?:frame|picture|shot|image)|(?! of))"
        r"|dead cent(?:er|re))",
        r"(?:in )?cent(?:er|re)(?:ed)? (?:frame|framing|composition)",
        r"(?:wes anderson (?:style )?)?symmetric(?:al)?(?: (?:framing|composition|shot))?",
        r"wes anderson(?: style)?",
    ),
    "place:left-third": (
        r"(?:(?:on|in|to) )?(?:the )?left third",
        r"on the left hand side",
        r"(?:@who )?(?:on|in|to) the left third(?: of the (?:frame|picture|image))?",
        r"frame left",
        r"(?:rule of thirds , |rule of thirds )?@who on the left(?: (?:side|half|third))?"
        r"(?: of (?:the )?(?:frame|picture|image|shot|screen))?",
        r"left of (?:the )?frame",
    ),
    "place:right-third": (
        r"(?:(?:on|in|to) )?(?:the )?right third",
        r"on the right hand side",
        r"(?:@who )?(?:on|in|to) the right third(?: of the (?:frame|picture|image))?",
        r"frame right",
        r"(?:rule of thirds , |rule of thirds )?@who on the right(?: (?:side|half|third))?"
        r"(?: of (?:the )?(?:frame|picture|image|shot|screen))?",
        r"right of (?:the )?frame",
    ),
    "place:head-room": (
        r"(?:with |leaving |leave |give @who )?(?:lots of |plenty of |much |some )?head ?room(?:"
        r" above @who)?",
    ),
    "place:lead-room": (
        r"(?:lots of |plenty of |some |more |empty )*(?:space|room) (?:to look into|ahead"
        r"|(?:in front|ahead) of @who(?: face)?|in front(?= *,| *$))",
        r"(?:with |leaving |leave |give @who )?(?:some |plenty of )?(?:lead|look|looking|nose)"
        r" ?room(?: (?:in front of|ahead of|for) @who)?",
    ),
    "when:as-she-turns": (r"(?:as|when|while) @who turns?(?: (?:a?round|about|back|away))?",),
    "when:at-the-end": (
        r"at the (?:very )?end",
        r"towards the end",
        r"in the end",
    ),
    "when:then": (
        r"(?<=, )(?:pause|half beat|beat|hold(?: for)?(?: a (?:beat|moment|second|bit)"
        r"| a? ?few (?:beats|moments|seconds|secs))?|stop)(?=,| and)",
        r"(?:and )?(?:finish(?:es|ing)?|end(?:s|ing)?)(?: up)?(?: by)?(?= \w+ing)",
        r"and then",
        r"then",
        r"after (?:that|which)",
        r"afterwards",
        r"next",
        r"followed by",
        r"(?:and )?finally",
    ),
}

PACES: tuple[tuple[str, Pace], ...] = (
    (
        r"(?:slight(?:ly)?|(?<!for )a (?:little|bit|touch|hair|tad))"
        r"(?! (?:above|below|from|off|higher|lower|to the side|crooked|tilted))"
        r"|(?:very )?subtly|subtle|barely",
        "slightly",
    ),
    (r"slow(?:ly)?(?! mo)|gently|gentle|gradual(?:ly)?|unhurried(?:ly)?", "slowly"),
    (
        r"quick(?:ly)?|fast|rapid(?:ly)?|swift(?:ly)?|briskly|crash(?= zoom)|snap(?= zoom)",
        "quickly",
    ),
    (r"dramatic(?:ally)?|boldly|sweepingly", "dramatically"),
    (r"all the way(?! a?round)|as far as (?:possible|it can)", "all-the-way"),
)

_IN = r"(?:in(?!to| front| profile| the| a\b)|forwards?|closer|nearer|towards?)"
_OUT = r"(?:out|backwards?|back|away)"
_GO = r"(?:doll(?:y|ies|ying)|(?:track|truck|glide|drift|float|ease|creep)(?:s|ing)?)"
_SIDEWAYS = r"(?:truck|track|slide|dolly|crab|strafe|drift|glide|sidestep)(?:s|es|ing)?"
_UP_DOWN = r"(?:boom|crane|jib|pedestal|ped|camera (?:goe|move|come|drift|float|drop))(?:s|es|ing)?"
_TO = r"(?:to (?:the |its |camera )?)?"
_HOW = r"(?:\w+ly |in |right )?"
_SOMEBODY = r"(?:@who|(?:the|a|my|our) \w+)"
# Movements in the middle of words that the grammar of movements cannot read to their end.
MOVE_TERMS: dict[str, tuple[str, ...]] = {
    "move:push-in": (
        rf"(?:push(?:es|ing)?|{_GO}|move|get) {_HOW}{_IN}",
        r"push(?:es|ing)?(?= (?:to|on|until)\b| *,| *$)",
        rf"(?:walk|rush|run|go)(?:s|es|ing)? (?:right |straight )?(?:up to|towards?)"
        rf"(?! the (?:lens|camera)) {_SOMEBODY}",
        r"(?:go|goes|going) in (?=close|on\b|tight)",
    ),
    "move:pull-out": (
        rf"(?:pull(?:s|ing)?|{_GO}) {_HOW}{_OUT}",
        r"back(?:s|ing)? (?:off|away)",
    ),
    "move:truck-left": (rf"{_SIDEWAYS} {_HOW}{_TO}left(?:wards?)?", rf"lateral \w+ {_TO}left"),
    "move:truck-right": (rf"{_SIDEWAYS} {_HOW}{_TO}right(?:wards?)?", rf"lateral \w+ {_TO}right"),
    "move:boom-up": (
        rf"{_UP_DOWN} {_HOW}up(?:wards?)?",
        r"(?:(?<=, )|^|camera |we )(?:ris(?:e|es|ing)|ascend(?:s|ing)?)(?: up)?",
    ),
    "move:boom-down": (
        rf"{_UP_DOWN} {_HOW}down(?:wards?)?",
        r"(?:(?<=, )|^|camera |we )(?:sink|descend)(?:s|ing)?(?: down)?",
    ),
    "move:arc-left": (
        rf"(?:arc|curve|swing|circle|wrap)(?:s|ing)?(?: a?round(?: @who)?)? {_TO}left",
        rf"{_SIDEWAYS} {_TO}left (?:a?round|about) {_SOMEBODY}",
    ),
    "move:arc-right": (
        rf"(?:arc|curve|swing|circle|wrap)(?:s|ing)?(?: a?round(?: @who)?)? {_TO}right",
        rf"{_SIDEWAYS} {_TO}right (?:a?round|about) {_SOMEBODY}",
    ),
    "move:follow": (
        rf"(?:follow|chase|trail|tail)(?:s|ing)?(?: along)?(?: behind| after)? {_SOMEBODY}",
        rf"(?:keep(?:s|ing)? (?:up|pace)|tag(?:s|ging)? along) with {_SOMEBODY}",
        rf"(?:walk|float|track|go|run)(?:s|es|ing)? (?:right |close )?behind {_SOMEBODY}",
    ),
    "move:lead": (
        rf"lead(?:s|ing)? {_SOMEBODY}",
        rf"back(?:s|ing)? (?:up|away) (?:before|in front of|ahead of) {_SOMEBODY}",
        r"(?:stay|walk|glid(?:e)?|track|mov(?:e)?|back|retreat)(?:s|es|ing)?"
        r"(?: backwards?| off| up| away| back)? (?:in front of|ahead of|before) \w+",
    ),
    "move:static": (
        r"(?:(?<=, )|^)(?:static|stationary|motionless|still)(?= *,| *$)",
        r"fixed (?:frame|camera|shot)|static (?:camera|shot|frame|wide|medium|close)",
        r"camera (?:stay|remain|hold)(?:s|ing)? (?:put|still)",
    ),
}
