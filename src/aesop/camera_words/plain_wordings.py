"""Plain terms of the trade, several wordings for each value: what people type when they know the
word. The term lexicon reads every one of them as the value it stands beside."""

# What stands for the whole shot, or for one end of it.
_STANDING: dict[str, tuple[str, ...]] = {
    "size:extreme-wide": (
        "an extreme wide shot", "extreme wide shot", "very wide shot", "extreme long shot",
        "establishing shot", "ultra wide shot",
    ),
    "size:wide": ("a wide shot", "wide shot", "long shot", "a wide view", "wide framing"),
    "size:full": (
        "a full shot", "full shot", "full body shot", "head to toe", "full figure shot",
        "full-length shot", "full body",
    ),
    "size:medium": (
        "a medium shot", "medium shot", "mid shot", "waist up", "from the waist up", "cowboy shot",
        "medium framing",
    ),
    "size:close-up": (
        "a close-up", "close-up", "close up", "closeup", "close-up shot", "a close-up of her face",
        "tight shot", "head and shoulders", "a close-up on the face", "close-up of his face",
    ),
    "size:extreme-close-up": (
        "an extreme close-up", "extreme close-up", "big close-up", "extreme close up shot",
        "extreme close-up of her eyes", "very close up", "extreme closeup",
    ),
    "height:ground": (
        "at ground level", "ground level shot", "from the ground", "ground-level", "from the floor",
        "worm's eye view",
    ),
    "height:low": (
        "from a low angle", "low angle", "low-angle shot", "from below", "a low angle view",
        "low angle shot",
    ),
    "height:eye": (
        "at eye level", "eye level", "eye-level shot", "at eye height", "at shoulder height",
        "chest level",
    ),
    "height:high": (
        "from a high angle", "high angle", "high-angle shot", "from above", "looking down at her",
        "high angle view",
    ),
    "height:overhead": (
        "from overhead", "overhead shot", "bird's eye view", "a bird's-eye view", "top-down",
        "top down shot", "god's eye view", "overhead view",
    ),
    "side:front": (
        "from the front", "frontal view", "from in front of her", "facing her", "frontal shot",
        "from the front of him",
    ),
    "side:three-quarter-front": (
        "in three quarter front view", "three-quarter front", "three quarter view", "3/4 view",
        "three-quarter shot", "3/4 front",
    ),
    "side:profile-left": (
        "in left profile", "left profile", "from her left side", "from his left",
        "left profile view", "in profile from the left",
    ),
    "side:profile-right": (
        "in right profile", "right profile", "from her right side", "from his right",
        "right profile view", "in profile", "profile shot",
    ),
    "side:three-quarter-back": (
        "in three quarter back view", "three-quarter back", "3/4 back view",
        "three-quarter rear view", "three quarters from behind",
    ),
    "side:behind": (
        "from behind", "from directly behind", "from behind her", "from the back", "from the rear",
    ),
    "lens:wide-angle": (
        "with a wide-angle lens", "wide-angle lens", "wide angle", "on a wide lens", "a short lens",
    ),
    "lens:long-lens": (
        "with a long lens", "telephoto", "telephoto lens", "long lens", "on a telephoto lens",
    ),
    "turn:dutch": (
        "a dutch angle", "dutch angle", "dutch tilt", "canted angle", "tilted horizon",
        "canted frame", "dutch angle shot",
    ),
    "grip:locked-off": ("locked off", "locked-off shot", "locked camera", "locked off camera"),
    "grip:dolly": ("on a dolly", "on rails", "on a track", "on a slider"),
    "grip:steadicam": ("on a steadicam", "steadicam", "steadicam shot", "gimbal", "on a gimbal"),
    "grip:handheld": (
        "handheld", "handheld camera", "hand-held", "shaky cam", "handheld shot", "hand held",
    ),
    "place:centre": (
        "centered", "centred", "in the center of the frame", "in the middle of the frame",
        "dead center",
    ),
    "place:left-third": (
        "on the left third", "frame left", "on the left third of the frame", "in the left third",
    ),
    "place:right-third": (
        "on the right third", "frame right", "on the right third of the frame",
        "in the right third",
    ),
    "place:head-room": ("with head room", "plenty of headroom", "lots of head room", "headroom"),
    "place:lead-room": ("with lead room", "lead room", "with looking room", "nose room"),
}  # fmt: skip
# What happens; steps are made of these.
_ACTING: dict[str, tuple[str, ...]] = {
    "turn:pan-left": ("pan left", "pan to the left", "pans left", "panning left", "pan shot left"),
    "turn:pan-right": (
        "pan right", "pan to the right", "pans right", "panning right", "pan shot right",
    ),
    "turn:tilt-up": ("tilt up", "tilts up", "tilting up", "tilt upwards"),
    "turn:tilt-down": ("tilt down", "tilts down", "tilting down", "tilt downwards"),
    "turn:whip-pan": ("whip pan", "swish pan", "whip-pan", "flash pan", "whip panning"),
    "turn:pan-follow": (
        "pan with the person", "pan to follow her", "pan with him", "panning with her",
        "following pan", "pan after him", "pan and follow her",
    ),
    "turn:roll": ("roll", "camera roll", "barrel roll", "roll sideways", "rolling"),
    "lens:zoom-in": ("zoom in", "zooms in", "zooming in", "zoom in on her", "zoom in on him"),
    "lens:zoom-out": ("zoom out", "zooms out", "zooming out", "zoom back"),
    "lens:dolly-zoom": ("dolly zoom", "vertigo effect", "a dolly zoom", "vertigo shot", "zolly"),
    "move:static": (
        "stay static", "static shot", "static camera", "hold still", "stay still", "static",
    ),
    "move:push-in": (
        "push in", "push in on her", "dolly in", "move closer", "move forward", "track in",
        "moves in", "pushing in",
    ),
    "move:pull-out": (
        "pull out", "pull back", "dolly out", "move back", "dolly back", "pulls back",
        "pulling out", "move away from her",
    ),
    "move:truck-left": (
        "truck left", "move left", "slide left", "track left", "move to the left", "trucks left",
    ),
    "move:truck-right": (
        "truck right", "move right", "slide right", "track right", "move to the right",
        "trucks right",
    ),
    "move:boom-up": ("boom up", "crane up", "rise", "move up", "pedestal up", "go up"),
    "move:boom-down": ("boom down", "crane down", "move down", "pedestal down", "go down"),
    "move:arc-left": (
        "arc left", "arc to the left", "circle to the left", "arc left around her", "arcs left",
    ),
    "move:arc-right": (
        "arc right", "arc to the right", "circle to the right", "arc right around her",
        "arcs right",
    ),
    "move:orbit": ("orbit", "orbit around her", "orbit the person", "circle around her", "orbits"),
    "move:follow": ("follow the person", "follow her", "follow him", "follow", "follows her"),
    "move:follow-beside": (
        "follow alongside the person", "follow beside her", "follow her from the side",
        "follow from the side", "follow alongside him",
    ),
    "move:lead": ("lead the person", "lead her", "lead him", "leads her"),
    "move:fly-past": ("fly past", "fly past her", "fly by", "rush past her", "sweep past"),
    "extent:quarter": ("a quarter circle", "90 degrees", "quarter turn", "by 90 degrees"),
    "extent:half": ("a half circle", "180 degrees", "half circle", "by 180 degrees"),
    "extent:full": ("a full circle", "360 degrees", "360", "all the way around", "full circle"),
}  # fmt: skip

PLAIN_WORDINGS: dict[str, tuple[str, ...]] = _STANDING | _ACTING

# Before a size: "a low-angle close-up", "handheld wide shot".
ADJECTIVES: dict[str, str] = {
    "height:ground": "ground-level", "height:low": "low-angle", "height:eye": "eye-level",
    "height:high": "high-angle", "height:overhead": "overhead", "grip:handheld": "handheld",
    "grip:steadicam": "steadicam", "turn:dutch": "dutch angle",
}  # fmt: skip
SIZE_NOUNS: dict[str, tuple[str, ...]] = {
    "size:extreme-wide": ("extreme wide shot", "extreme long shot"),
    "size:wide": ("wide shot", "long shot"),
    "size:full": ("full shot", "full body shot"),
    "size:medium": ("medium shot", "mid shot"),
    "size:close-up": ("close-up", "close up"),
    "size:extreme-close-up": ("extreme close-up", "extreme close up"),
}
