"""Twenty-four everyday sentences, acted: does a person do what was asked, and does the body hold?

    python runs/everyday.py act NAME [--weights FOLDER] [--guidance G]   # scratch/NAME.*
    python runs/everyday.py page BEFORE AFTER -o docs/pictures/everyday.jpg
    python runs/everyday.py real STORE          # the same facts of real walks, for scale

The list was written down before anybody acted it. Sentence n is acted with seed n, once; nothing is
picked. Whether a person does what was asked is judged by eye, in results/everyday.json.
"""

SENTENCES = (
    "a person walks forward", "a person runs forward", "a person walks backwards",
    "a person walks in a circle", "a person turns around", "a person jumps up",
    "a person jumps forward", "a person sits down", "a person stands up from a chair",
    "a person waves with the right hand", "a person claps", "a person bows",
    "a person kicks with the right leg", "a person punches", "a person throws a ball",
    "a person picks something up from the floor", "a person crouches down", "a person crawls",
    "a person dances", "a person does jumping jacks", "a person stretches both arms up",
    "a person stands still", "a person sneaks forward", "a person limps",
)  # fmt: skip
SECONDS = 5.0
