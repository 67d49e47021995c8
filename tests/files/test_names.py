"""Bodies are found whatever a program calls their joints, and the right way round."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from aesop.core.errors import FileError
from aesop.files.foreign_clip import ForeignTake, find_body
from aesop.files.foreign_skeleton import BodyMap, SourceMotion, match_names
from aesop.files.motion_files import read_motion
from aesop.scene.skeleton import JOINT_NAMES, PARENTS
from tests.files.foreign import DIALECTS, Foreign, write_foreign
from tests.files.makers import gait_clip

# Program → left, right, the middle from hips to head, one arm from what carries it, one leg from
# what carries it. Letters in braces are the side. Twists, ends and helpers stand where they do in
# such files.
TREES = {
    "Rokoko": (
        "Left", "Right", "Hips Spine1 Spine2 Spine3 Spine4 Neck Head",
        "Spine4 {}Shoulder {}Arm {}ForeArm {}Hand", "Hips {}Thigh {}Shin {}Foot {}Toe {}ToeTip",
    ),
    "mocopi": (
        "l", "r", "root torso_1 torso_2 torso_7 neck_1 neck_2 head",
        "torso_7 {}_shoulder {}_up_arm {}_low_arm {}_hand",
        "root {}_up_leg {}_low_leg {}_foot {}_toes",
    ),
    "OptiTrack": (
        "L", "R", "Hip Ab Chest Neck Head", "Chest {}Shoulder {}UArm {}FArm {}Hand",
        "Hip {}Thigh {}Shin {}Foot {}Toe",
    ),
    "Xsens": (
        "Left", "Right", "Hips Chest Chest2 Chest3 Chest4 Neck Head",
        "Chest4 {}Collar {}Shoulder {}Elbow {}Wrist", "Hips {}Hip {}Knee {}Ankle {}Toe",
    ),
    "Perception Neuron": (
        "Left", "Right", "Hips Spine Spine1 Spine2 Neck Head",
        "Spine2 {}Shoulder {}Arm {}ForeArm {}Hand {}InHandIndex", "Hips {}UpLeg {}Leg {}Foot",
    ),
    "Source engine": (
        "L", "R", "ValveBiped.Bip01_Pelvis ValveBiped.Bip01_Spine ValveBiped.Bip01_Spine4 "
        "ValveBiped.Bip01_Neck1 ValveBiped.Bip01_Head1",
        "ValveBiped.Bip01_Spine4 ValveBiped.Bip01_{}_Clavicle ValveBiped.Bip01_{}_UpperArm "
        "ValveBiped.Bip01_{}_Forearm ValveBiped.Bip01_{}_Hand",
        "ValveBiped.Bip01_Pelvis ValveBiped.Bip01_{}_Thigh ValveBiped.Bip01_{}_Calf "
        "ValveBiped.Bip01_{}_Foot ValveBiped.Bip01_{}_Toe0",
    ),
    "MakeHuman": (
        "L", "R", "root spine05 spine04 spine01 neck01 neck02 head",
        "spine01 clavicle.{} shoulder01.{} upperarm01.{} upperarm02.{} lowerarm01.{} "
        "lowerarm02.{} wrist.{} finger2-1.{}",
        "root pelvis.{} upperleg01.{} upperleg02.{} lowerleg01.{} lowerleg02.{} foot.{} toe1-1.{}",
    ),
    "Meta Movement": (
        "Left", "Right", "Hips SpineLower SpineUpper Chest Neck Head",
        "Chest {}Shoulder {}Scapula {}ArmUpper {}ArmLower {}HandWristTwist {}HandWrist",
        "Hips {}UpperLeg {}LowerLeg {}FootAnkle {}FootBall",
    ),
    "Rigify": (
        "L", "R", "DEF-spine DEF-spine.001 DEF-spine.003 DEF-spine.004 DEF-spine.006",
        "DEF-spine.003 DEF-shoulder.{} DEF-upper_arm.{} DEF-upper_arm.{}.001 DEF-forearm.{} "
        "DEF-forearm.{}.001 DEF-hand.{}",
        "DEF-spine DEF-thigh.{} DEF-thigh.{}.001 DEF-shin.{} DEF-shin.{}.001 DEF-foot.{} "
        "DEF-toe.{}",
    ),
    "Auto-Rig Pro": (
        "l", "r", "root.x spine_01.x spine_02.x neck.x head.x",
        "spine_02.x shoulder.{} arm_stretch.{} forearm_stretch.{} hand.{}",
        "root.x thigh_stretch.{} leg_stretch.{} foot.{} toes_01.{}",
    ),
    "VRoid": (
        "L", "R", "Root J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_Neck J_Bip_C_Head",
        "J_Bip_C_Chest J_Bip_{}_Shoulder J_Bip_{}_UpperArm J_Bip_{}_LowerArm J_Bip_{}_Hand",
        "J_Bip_C_Hips J_Bip_{}_UpperLeg J_Bip_{}_LowerLeg J_Bip_{}_Foot J_Bip_{}_ToeBase",
    ),
    "Daz Genesis 8": (
        "l", "r", "hip abdomenLower abdomenUpper chestLower chestUpper neckLower neckUpper head",
        "chestUpper {}Collar {}ShldrBend {}ShldrTwist {}ForearmBend {}ForearmTwist {}Hand",
        "hip {}ThighBend {}ThighTwist {}Shin {}Foot {}Metatarsals {}Toe",
    ),
    "Character Creator": (
        "L", "R", "CC_Base_Hip CC_Base_Waist CC_Base_Spine01 CC_Base_NeckTwist01 CC_Base_Head",
        "CC_Base_Spine01 CC_Base_{}_Clavicle CC_Base_{}_Upperarm CC_Base_{}_Forearm "
        "CC_Base_{}_Hand",
        "CC_Base_Hip CC_Base_{}_Thigh CC_Base_{}_Calf CC_Base_{}_Foot CC_Base_{}_ToeBase",
    ),
    "Advanced Skeleton": (
        "L", "R", "Root_M Spine1_M Chest_M Neck_M Head_M",
        "Chest_M Scapula_{} Shoulder_{} Elbow_{} Wrist_{}",
        "Root_M Hip_{} Knee_{} Ankle_{} Toes_{}",
    ),
    "SOMA": (
        "Left", "Right", "Hips Spine1 Spine2 Chest Neck1 Neck2 Head",
        "Chest {}Shoulder {}Arm {}ForeArm {}Hand", "Hips {}Leg {}Shin {}Foot {}ToeBase",
    ),
    "ASF": (
        "l", "r", "root lowerback upperback thorax lowerneck upperneck head",
        "thorax {}clavicle {}humerus {}radius {}wrist {}hand",
        "root {}hipjoint {}femur {}tibia {}foot {}toes",
    ),
    "Kinect": (
        "Left", "Right", "SpineBase SpineMid SpineShoulder Neck Head",
        "SpineShoulder Shoulder{} Elbow{} Wrist{} Hand{}", "SpineBase Hip{} Knee{} Ankle{} Foot{}",
    ),
    "ZED": (
        "LEFT", "RIGHT", "PELVIS NAVAL_SPINE CHEST_SPINE NECK HEAD",
        "CHEST_SPINE {}_CLAVICLE {}_SHOULDER {}_ELBOW {}_WRIST {}_HAND",
        "PELVIS {}_HIP {}_KNEE {}_ANKLE {}_FOOT",
    ),
    "DeepMotion": (
        "l", "r", "hips_JNT spine_JNT spine1_JNT neck_JNT head_JNT",
        "spine1_JNT {}_shoulder_JNT {}_arm_JNT {}_forearm_JNT {}_hand_JNT",
        "hips_JNT {}_upleg_JNT {}_leg_JNT {}_foot_JNT {}_toebase_JNT",
    ),
    "Cascadeur": (
        "l", "r", "pelvis stomach chest neck head", "chest clavicle_{} arm_{} forearm_{} hand_{}",
        "pelvis thigh_{} calf_{} foot_{} toe_{}",
    ),
    "Theia": (
        "l", "r", "pelvis torso head", "torso {}_uarm {}_larm {}_hand",
        "pelvis {}_thigh {}_shank {}_foot {}_toes",
    ),
    "Roblox": (
        "Left", "Right", "HumanoidRootNode LowerTorso UpperTorso Head",
        "UpperTorso {}UpperArm {}LowerArm {}Hand", "LowerTorso {}UpperLeg {}LowerLeg {}Foot",
    ),
    "BEAT": (
        "L", "R", "Hips Spine Spine1 Spine2 Spine3 Neck Neck1 Head",
        "Spine3 {}Shoulder {}Arm {}Arm1 {}Hand {}HandM1",
        "Hips {}UpLeg {}Leg {}Foot {}FootF {}ToeBase",
    ),
    "FreeMoCap": (
        "L", "R", "pelvis spine spine.001 neck face",
        "spine.001 shoulder.{} upper_arm.{} forearm.{} hand.{}",
        "pelvis pelvis.{} thigh.{} shin.{} foot.{} heel.02.{}",
    ),
    "MikuMikuDance": (
        "左", "右", "センター 上半身 上半身2 首 頭",
        "上半身2 {}肩 {}腕 {}腕捩 {}ひじ {}手捩 {}手首",
        "センター 下半身 {}足 {}ひざ {}足首 {}つま先",
    ),
    "MikuMikuDance in Blender": (
        "L", "R", "腰 上半身 上半身2 首 頭", "上半身2 肩.{} 腕.{} 腕捩.{} ひじ.{} 手首.{}",
        "腰 下半身 足.{} ひざ.{} 足首.{} つま先.{}",
    ),
    "Source 2": (
        "L", "R", "pelvis spine_0 spine_2 neck_0 head",
        "spine_2 clavicle_{} arm_upper_{} arm_lower_{} hand_{}",
        "pelvis leg_upper_{} leg_lower_{} ankle_{} ball_{}",
    ),
    "OpenSim": (
        "l", "r", "pelvis torso head", "torso humerus_{} ulna_{} radius_{} hand_{}",
        "pelvis femur_{} tibia_{} talus_{} calcn_{} toes_{}",
    ),
    "sides of two and three letters": (
        "lf", "rgt", "root spine chest neck head",
        "chest {}_clavicle {}_bicep {}_forearm {}_hand", "root {}_thigh {}_shin {}_foot {}_toe",
    ),
    "names with remarks": (
        "L", "R", "NPC_Pelvis[Pelv] NPC_Spine[Spn0] NPC_Neck[Neck] NPC_Head[Head]",
        "NPC_Spine[Spn0] NPC_{0}_Clavicle[{0}Clv] NPC_{0}_UpperArm[{0}Uar] NPC_{0}_Forearm[{0}Lar] "
        "NPC_{0}_Hand[{0}Hnd]",
        "NPC_Pelvis[Pelv] NPC_{0}_Thigh[{0}Thg] NPC_{0}_Calf[{0}Clf] NPC_{0}_Foot[{0}ft]",
    ),
}  # fmt: skip


def tree(chains: Sequence[str]) -> tuple[list[str], list[int]]:
    """Names and parents of chains that begin at a joint of an earlier one."""
    names: list[str] = []
    parents: list[int] = []
    for chain in chains:
        above = -1
        for name in chain.split():
            if name not in names:
                names.append(name)
                parents.append(above)
            above = names.index(name)
    return names, parents


@pytest.mark.parametrize("program", TREES)
def test_every_program_is_understood(program: str) -> None:
    left, right, middle, arm, leg = TREES[program]
    chains = [
        middle,
        *(chain.format(*[side] * 9) for chain in (arm, leg) for side in (left, right)),
    ]
    names, parents = tree(chains)
    body = match_names(names, parents)
    assert isinstance(body, BodyMap), body
    named = {
        ours: names[j] for ours, j in zip(JOINT_NAMES, body.joints, strict=True) if j is not None
    }
    assert named["head"] == middle.split()[-1]
    assert named["pelvis"] == leg.split()[0]
    for side, word in (("left", left), ("right", right)):
        on_this_side = set(f"{arm} {leg}".replace("{0}", "{}").replace("{}", word).split())
        for part in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist"):
            assert named[f"{side}_{part}"] in on_this_side
        # Limbs are matched from the top down, so that no twist or helper comes before its bone.
        order = [names.index(named[f"{side}_{part}"]) for part in ("shoulder", "elbow", "wrist")]
        assert order == sorted(order) and len(set(order)) == 3
    assert body.joints[JOINT_NAMES.index("left_shoulder")] != body.joints[0]


@pytest.mark.parametrize("above", ["Hips", "hips", "Pelvis"])
def test_what_stands_above_the_hips_may_be_called_after_them(above: str, tmp_path: Path) -> None:
    clip = gait_clip(31)
    alone = read_motion(write_foreign(tmp_path / "a.bvh", clip, Foreign()))
    below = read_motion(write_foreign(tmp_path / "b.bvh", clip, Foreign(top=above)))
    assert torch.equal(below.motion.joints, alone.motion.joints)


@pytest.mark.parametrize("hair", ["HairJoint-{}", "Hair {}", "cloth_{}_x"])
def test_hair_and_clothes_may_outnumber_a_body(hair: str, tmp_path: Path) -> None:
    names = tuple(f"CC_Base_{name.replace(' ', '_')}" for name in DIALECTS["biped"])
    path = write_foreign(tmp_path / "a.bvh", gait_clip(31), Foreign(names=names))
    alone = read_motion(path)
    text, rows = path.read_text().split("MOTION")
    strands = "".join(f"JOINT {hair.format(k)}\n{{\nOFFSET 0 {k} 0\n}}\n" for k in range(1, 41))
    head = text.index("End Site", text.index("Head"))
    path.write_text(f"{text[:head]}{strands}{text[head:]}MOTION{rows}")
    assert torch.equal(read_motion(path).motion.joints, alone.motion.joints)


def test_a_limb_with_two_joints_between_its_ends_is_not_guessed_at() -> None:
    middle = "Hips Spine Head"
    legs = [f"Hips {side}UpLeg {side}Leg {side}Foot" for side in "LR"]
    arms = [f"Spine {side}Shoulder {side}Arm {{}} {side}Hand" for side in "LR"]
    for between, is_body in (("{0}Arm1", True), ("{0}Arm1 {0}Arm2", False)):
        chains = [arm.format(between.format(side)) for arm, side in zip(arms, "LR", strict=True)]
        body = match_names(*tree([middle, *legs, *chains]))
        assert isinstance(body, BodyMap) == is_body


@pytest.mark.parametrize(
    ("joints", "fact"),
    [(0, "none of its joints has a name"), (5, "its joints are b0, b1, b2, b3, b4\\."),
     (400, "b59 and 340 more\\.")],
)  # fmt: skip
def test_joints_are_told_as_far_as_anybody_reads(joints: int, fact: str) -> None:
    names = tuple(f"b{k}" for k in range(joints)) or ("",)
    parents, alone = tuple(range(-1, len(names) - 1)), (True,) * len(names)
    take = ForeignTake(names, parents, alone, 25.0, "BVH", motion=_nobody, rests=())
    with pytest.raises(FileError, match=fact):
        find_body(take, Path("a.bvh"))


def _nobody(chosen: Sequence[int]) -> SourceMotion:
    raise AssertionError(chosen)


def test_words_alone_do_not_make_a_body() -> None:
    names, parents = tree(["root a b head", "b left_hand", "root left_foot right_foot"])
    assert not isinstance(match_names(names, parents), BodyMap)


def test_two_people_in_one_file_are_told_and_props_are_left_out(tmp_path: Path) -> None:
    clip = gait_clip(31)
    path = write_foreign(tmp_path / "a.bvh", clip, Foreign())
    alone = read_motion(path)
    hierarchy, motion = path.read_text().split("MOTION")
    head, rows = motion.rsplit("Frame Time", 1)
    first, *lines = rows.strip().splitlines()
    prop = "ROOT Sword\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n}\n"
    with_prop = [f"{line} 3 5 7" for line in lines]
    path.write_text(f"{hierarchy}{prop}MOTION{head}Frame Time{first}\n" + "\n".join(with_prop))
    assert torch.equal(read_motion(path).motion.joints, alone.motion.joints)
    tree_text = hierarchy.replace("HIERARCHY\n", "")
    twice = [f"{line} {line}" for line in lines]
    path.write_text(f"{hierarchy}{tree_text}MOTION{head}Frame Time{first}\n" + "\n".join(twice))
    with pytest.raises(FileError, match="holds 2 people"):
        read_motion(path)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_known_families_keep_their_names(dialect: str) -> None:
    """What was understood before is understood by the same family, not by mixed words."""
    body = match_names(DIALECTS[dialect], PARENTS)
    assert isinstance(body, BodyMap) and body.naming != "mixed"
