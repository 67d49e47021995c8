"""Plain terms for what a camera does, how fast and when: the patterns, and what they name."""

from aesop.camera_words.attributes import Pace

# Terms as in `standing_terms`, whose signs they use.
ACTION_TERMS: dict[str, tuple[str, ...]] = {
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
        r"whip(?:s|ping)?(?: (?:over|a?round|back))?(?: (?:to|towards?))?(?: the)? (?:left|right)"
        r"(?: a?round)?",
        r"whip(?:s|ping)? a?round",
        r"(?:whip|swish|flash) ?pans?(?:ning)?(?: shot)?"
        r"(?: ?,?(?: (?:over|a?round|back|hard|fast|quickly))*(?: (?:to|towards?))?(?: the)?"
        r" (?:left|right)(?: a?round)?)?",
    ),
    "turn:pan-follow": (
        r"(?:pans?|panning) (?:left|right) with @who",
        r"(?:pans?|panning) (?:following|along with)(?: (?:@who|the \w+))?",
        r"(?:pans?|panning|turns?) (?:to follow|with|after|along with)(?: @who)?",
        r"follow pan",
        r"following pan",
        r"follows? @who with a pan",
        r"pans? and follows?(?: @who)?",
    ),
    "turn:roll": (
        r"(?:rolls?|rolling) (?:counter|anti)? ?clockwise",
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
        # Nothing said of where it goes; "the long end of the zoom" is a lens.
        r"(?<!of the )(?<!contra )(?<!dolly )(?:a )?zoom(?= *,| *$| (?:on|onto) @who| and\b)",
    ),
    "lens:zoom-out": (r"(?:zooms?|zooming)(?: shot)? (?:out|back)(?: (?:from|of) @who)?",),
    "lens:dolly-zoom": (
        r"(?:a )?(?:dolly zoom|vertigo (?:effect|shot|zoom)|zolly|trombone shot|contra zoom)"
        r"(?: like (?:in )?vertigo)?",
    ),
    "move:static": (
        r"stops? moving",
        r"(?:camera|we) stays? put",
        r"stays? where (?:you are|it is)",
        r"dead still",
        r"(?:(?<=, )|^)(?:fixed|fix)(?= *,| *$)",
        r"camera (?:is )?(?:standing|fixed|fix)(?: still)?(?= *,| *$)",
        r"never moves?(?: at all)?",
        r"(?:do )?not move(?: the camera| it)?(?: at all)?",
        r"hold(?: (?:it|the (?:shot|frame)))?(?= *$| *,)",
        r"no (?:camera )?(?:moves?|movement)",
    ),
    "move:push-in": (
        r"(?:moves?|moving|goes|going|travels?|travell?ing|fl(?:y|ies|ying)) forwards?",
        r"(?:creeps?|creeping|inch(?:es|ing)?|eases?|easing|sneaks?) (?:in|closer)"
        r"(?: (?:on|to|towards?) @who(?! face))?",
        r"(?:a )?(?:slow|gentle|fast|quick|subtle) push(?! (?:in|out|back|forward))(?: on @who)?",
    ),
    # The grammar would take the word "up" for a rise.
    "move:pull-out": (r"(?:(?<=, )|^|please |you |just )back(?:s|ing)? up(?= *,| *$| a| please)",),
    "move:boom-up": (
        r"jibs? up",
        r"ris(?:e|es|ing)(?: up)? (?:above|over)(?: @who)?",
        r"(?:cranes?|booms?|jibs?) up and over(?: @who)?",
    ),
    "move:follow": (
        r"falls? back behind @who",
        r"(?:drone )?(?:chase|chases|chasing)(?= *,| *$| from)",
        r"goe?s? where(?:ver)? @who (?:goes?|go)",
        r"(?:(?<=, )|^|(?<=held )|(?<=cam )|(?<=slow )|(?<=smooth ))tracking(?: shot)?(?= *,| *$)",
        r"third person(?: game)? (?:cam(?:era)?|view)",
        r"spring arm",
        r"(?:a )?(?:chase|follow) cam(?:era)?",
        r"(?:a )?chase shot",
    ),
    "move:follow-beside": (
        r"(?:track|run|walk|go|travel|move)(?:s|es|ing|ning)? alongside",
        r"(?:walk|run|move|go|travel|jog|glide)(?:s|es|ning|ing)? (?:right )?"
        r"(?:next to|beside|alongside) @who",
        r"(?:follow(?:s|ing)?|track(?:s|ing)?)(?: shot)?(?: (?:of )?@who)? from @theirside",
        r"(?:a )?side tracking shot",
    ),
    "move:lead": (
        r"(?:moves?|moving|travel(?:s|l?ing)?|backing|goes|going|walks?|walking) backwards? (?:in"
        r" front|ahead) of @who",
        r"(?:follow(?:s|ing)?|track(?:s|ing)?)(?: shot)?(?: (?:of )?@who)? from (?:the|in) front"
        r"(?: of @who)?",
        r"(?:a )?walk and talk(?: shot)?",
        r"walk(?:s|ing)? backwards? (?:in front|ahead) of @who",
        r"(?:doll(?:y|ies|ying)|track(?:s|ing)?) back(?:wards?)? (?:in front|ahead) of @who",
    ),
    "move:orbit": (
        r"bullet time",
        r"swing(?:s|ing)? a?round(?= *,| *$)",
        r"(?:spins?|spinning|moves?|moving|goes|go|walks?) a?round @who(?! to the| (?:left|right))",
        # With a side it is an arc, however somebody stands between.
        r"(?:an? )?(?<!leftward )(?<!rightward )orbits?(?:ing)?(?!(?: shot)?(?: (?:around )?@who)?"
        r" (?:to (?:the|her|his|their|its|camera) )?(?:left|right|(?:counter|anti)? ?clockwise))"
        r"(?: shot)?(?: (?:around )?@who)?",
        r"(?<!leftward )(?<!rightward )circl(?:e|es|ing)(?: all the way)? around @who(?! to the)",
    ),
    "move:fly-past": (
        r"shoots? (?:straight |right )?past @who",
        r"(?:fl(?:y|ies|ying)|rush(?:es|ing)?|sweep(?:s|ing)?) (?:past|by)(?: @who)?",
        r"fly ?by(?: shot)?",
    ),
    "move:boom-up move:pull-out": (
        r"(?:cranes?|booms?|jibs?|fl(?:y|ies|ying)|pulls?|goes|go|rises?|drifts?)"
        r" (?:up and (?:back|away|out)|(?:back|out|away) and up)",
    ),
    "height:low move:boom-up": (r"from low (?:up )?to high",),
    "height:high move:boom-down": (r"from high (?:down )?to low",),
    "move:orbit move:boom-down": (r"spirals? down(?: a?round @who)?",),
    "move:orbit move:boom-up": (r"spirals? up(?: a?round @who)?",),
    "extent:quarter": (
        r"quarter (?=arc)",
        r"(?:a |for a |by a )?quarter (?:of a )?(?:circle|turn|orbit|way(?: around)?)",
        r"(?<!at )(?:by )?90(?: degrees?)?",
        r"(?<!at )ninety degrees?",
    ),
    "extent:half": (
        r"half(?: the way)? round @who",
        r"(?:about )?half way a?round(?: @who)?",
        r"half (?=arc)",
        r"(?:a |for a |in a )?(?:half(?: of)?(?: a)?|semi) ?(?:circle|turn|orbit|way(?:"
        r" around)?)",
        r"(?:by |a )?180(?: degrees?)?(?: a?round @who)?",
    ),
    "extent:full": (
        r"(?<=circles )\w+ once",
        r"once (?:all the way )?a?round @who",
        r"(?:in )?(?:a )?(?:full|complete|whole|entire)"
        r" (?:circle|turn|orbit|revolution|rotation)",
        r"all the way a?round(?: @who)?",
        r"(?:by |a )?360(?: degrees?)?(?: shot)?(?: a?round @who)?",
        r"(?:a )?full circle around @who",
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
        r"(?:and )?(?:(?:finish|end|wind)(?:es|s|ing)?(?: up)?|by the end(?: (?:be|we are|it is))?)"
        r"(?= (?:right )?(?:in front|ahead)\b)",
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
        r"(?! (?:of|above|below|from|off|higher|lower|to the side|crooked|tilted))"
        r"|(?:very )?subtly|subtle|barely",
        "slightly",
    ),
    (r"slow(?:ly)?(?! mo)|gently|gentle|gradual(?:ly)?|unhurried(?:ly)?", "slowly"),
    (
        r"quick(?:ly)?|fast|rapid(?:ly)?|swift(?:ly)?|briskly|crash(?= zoom)|snap(?= zoom)",
        "quickly",
    ),
    (
        r"dramatic(?:ally)?(?! (?:\w+ )?(?:light|sky|skies|shadow|music|score|scene|pose|moment"
        r"|mood))"
        r"|boldly|sweepingly",
        "dramatically",
    ),
    (r"all the way(?! a?round)|as far as (?:possible|it can)", "all-the-way"),
)

_IN = r"(?:in(?!to| front| profile| the| a\b)|forwards?|closer|nearer|towards?)"
_OUT = r"(?:out|backwards?|back|away)"
_GO = r"(?:doll(?:y|ies|ying)|(?:track|truck|glide|drift|float|ease|creep)(?:s|ing)?)"
_SIDEWAYS = r"(?:truck|track|slide|dolly|crab|strafe|drift|glide|sidestep)(?:s|es|ing)?"
_UP_DOWN = r"(?:boom|crane|jib|pedestal|ped|camera (?:goe|move|come|drift|float|drop))(?:s|es|ing)?"
_TO = r"(?:to (?:the |its |camera )?)?"
_HOW = r"(?:\w+ly |in |right )?"
_SOMEBODY = (
    r"(?:(?:her|his|their) (?:legs?|feet|back|head|shoulders?|heels?|steps|face|body)"
    r"|@who|(?:the|a|my|our) \w+)"
)
# Movements in the middle of words that the grammar of movements cannot read to their end.
MOVE_TERMS: dict[str, tuple[str, ...]] = {
    "move:push-in": (
        r"(?:go|goes|going|move|moving|come) (?:all the way |right |straight )in(?!to)\b",
        rf"(?:push(?:es|ing)?|{_GO}|move|get) {_HOW}{_IN}",
        r"push(?:es|ing)?(?= (?:to|on|until)\b| *,| *$)",
        rf"(?:walk|rush|run|go)(?:s|es|ing)? (?:right |straight )?(?:up to|towards?)"
        rf"(?! the (?:lens|camera)) {_SOMEBODY}",
        r"(?:go|goes|going) in (?=close|on\b|tight)",
    ),
    "move:pull-out": (
        r"back(?:s|ing)? up(?! (?:from|to))",
        r"retreat(?:s|ing)?",
        rf"(?:pull(?:s|ing)?|{_GO}) {_HOW}{_OUT}",
        r"back(?:s|ing)? (?:off|away)",
    ),
    "move:truck-left": (
        rf"{_SIDEWAYS} (?:from )?(?:the )?right to (?:the )?left",
        rf"{_SIDEWAYS} {_HOW}{_TO}left(?:wards?)?",
        rf"lateral \w+ {_TO}left",
    ),
    "move:truck-right": (
        rf"{_SIDEWAYS} (?:from )?(?:the )?left to (?:the )?right",
        rf"{_SIDEWAYS} {_HOW}{_TO}right(?:wards?)?",
        rf"lateral \w+ {_TO}right",
    ),
    "move:boom-up": (
        r"(?:(?<=, )|^|camera |we |and )(?:ris(?:e|es|ing)|climb(?:s|ing)?)(?: up)?(?= to| from|"
        r" over| slowly|$| *,)",
        rf"{_UP_DOWN} {_HOW}up(?:wards?)?",
        r"(?:(?<=, )|^|camera |we )(?:ris(?:e|es|ing)|ascend(?:s|ing)?)(?: up)?",
    ),
    "move:boom-down": (
        r"(?:(?<=, )|^|camera |we |and )(?:drop|sink|descend|lower|come(?=s? down|ing down))"
        r"(?:s|ing)?(?: down(?:wards?)?)?(?= to| on|$| *,)",
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
