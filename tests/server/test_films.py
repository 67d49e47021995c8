"""Films over HTTP are the Director's own; jobs wait, run, are cancelled, and outlive the server."""

import json
import shlex
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import fields, replace
from html import unescape
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import torch

from aesop.core.errors import AesopError, FileError, Progress
from aesop.director.director import Director
from aesop.director.requests import FilmRequest
from aesop.export.delivery import Delivery
from aesop.export.export_files import write_export
from aesop.files.motion_files import read_motion
from aesop.files.shot_file import read_clip, read_shot
from aesop.scene.intensity_curve import IntensityCurve
from aesop.scene.shot import Shot
from aesop.server import server_folder
from aesop.server.job_requests import JOBS, FilmJob, job_as_json, job_from_json, job_schema
from aesop.server.server_folder import ServerFolder
from aesop.server.serving import ServerPlace, serve
from tests.director.makers import PUSH_IN, TRUCK, WALK
from tests.server.running import Answer, Client, running
from tests.tolerances import GEOMETRY32


class SlowDirector(Director):
    """Films when it is let, and says how far it is meanwhile."""

    def __init__(self, director: Director) -> None:
        super().__init__(director.parts)
        self.begun, self.may_go_on = Event(), Event()

    def film_many(self, requests: Sequence[FilmRequest], *asked: Any, **named: Any) -> list[Shot]:
        progress: Progress = named["progress"] if "progress" in named else asked[1]
        self.begun.set()
        while not self.may_go_on.wait(0.01):
            progress(0, 3)
        return super().film_many(requests, *asked, **named)


def curled(client: Client, line: str) -> Answer:
    """What a line of curl asks for, with options that every curl has."""
    words = shlex.split(line)
    asked = ArgumentParser(exit_on_error=False)
    for flag in ("--data-binary", "-d", "-H", "-o"):
        asked.add_argument(flag)
    asked.add_argument("url")
    told = asked.parse_args(words[1:])
    body = told.d.encode() if told.d else None
    if told.data_binary:
        body = Path(told.data_binary.removeprefix("@")).read_bytes()
    headers = dict([told.H.split(": ")]) if told.H else {}
    path = told.url.removeprefix(f"http://{client.door.host}:{client.door.port}")
    return client.ask("GET" if body is None else "POST", path, body, headers)


def test_the_lines_of_curl_on_the_page_film(
    client: Client, walk: Path, monkeypatch: pytest.MonkeyPatch
):
    """With options that every curl has: those of systems that are still kept know no `--json`."""
    monkeypatch.chdir(walk.parent)
    page = unescape(client.get("/").body.decode())
    lines = page[page.index("<pre>") + 5 : page.index("</pre>")].splitlines()
    motion = curled(client, lines[0]).json["id"]
    job = curled(client, lines[1].replace("ID", motion)).json["id"]
    client.ended(job)
    assert curled(client, lines[2].replace("ID", job)).json["state"] == "done"
    assert curled(client, lines[3].replace("ID", job)).body[:4] == b"glTF"


def saved(client: Client, path: str, folder: Path) -> Path:
    came = client.get(path)
    assert came.status == 200, came.body
    file = folder / f"came{Path(path).suffix}"
    file.write_bytes(came.body)
    return file


def test_a_film_over_http_is_the_directors_to_the_bit(
    client: Client, motion: str, walk: Path, director: Director, tmp_path: Path
):
    asked = client.post("/film", {"motion": motion, "words": PUSH_IN, "intensity": 1.3, "seed": 5})
    assert asked.status == 202 and asked.json["state"] in ("waiting", "running")
    job = client.ended(asked.json["id"])
    shot = read_shot(saved(client, f"/jobs/{job['id']}/1.shot", tmp_path))
    ours = director.film(read_motion(walk), PUSH_IN, 1.3, seed=5)
    assert torch.equal(shot.camera.centre, ours.camera.centre)
    assert torch.equal(shot.clip.motion.joints, ours.clip.motion.joints)
    assert job["answers"][0]["words"] == PUSH_IN and job["answers"][0]["intensity"] == 1.3
    table = json.loads(client.get(f"/jobs/{job['id']}/1.json").body)
    assert len(table["frames"]) == shot.frames


@pytest.mark.parametrize("curve", [[[0, 0.6], [0.8, 1.4]], "0:0.6 0.8:1.4"])
def test_an_intensity_over_time_is_pairs_or_a_text(
    client: Client, motion: str, walk: Path, director: Director, tmp_path: Path, curve: Any
):
    asked = {"motion": motion, "words": PUSH_IN, "intensity": curve, "seed": 5}
    job = client.ended(client.post("/film", asked).json["id"])
    shot = read_shot(saved(client, f"/jobs/{job['id']}/1.shot", tmp_path))
    ours = director.film(read_motion(walk), PUSH_IN, IntensityCurve((0.0, 0.8), (0.6, 1.4)), seed=5)
    assert torch.equal(shot.camera.centre, ours.camera.centre)
    assert job["request"]["intensity"] == [[0, 0.6], [0.8, 1.4]]
    assert job["answers"][0]["intensity_curve"] == [[0, 0.6], [0.8, 1.4]]


@pytest.mark.parametrize(
    "intensity", ["1", "0:1 0.1:1.5", [], [1], [[0, 1, 2]], [[0, "1"]], [[0, 5]], {}, True]
)
def test_what_is_no_intensity_is_refused(client: Client, motion: str, intensity: Any):
    asked = {"motion": motion, "words": PUSH_IN, "intensity": intensity}
    came = client.post("/film", asked)
    assert came.status in (400, 422) and came.json["error"]["remedy"]


def test_a_sweep_films_no_intensity_twice(client: Client, motion: str):
    asked = {"motion": motion, "words": PUSH_IN, "intensities": [0.5, 1, 0.5]}
    came = client.post("/sweep", asked)
    assert came.status in (400, 422) and "0.5 more than once" in came.json["error"]["fact"]


def test_every_verb_answers_with_what_was_asked_for(client: Client, motion: str, tmp_path: Path):
    film = client.post("/film", {"motion": motion, "words": TRUCK, "takes": 3}).json["id"]
    shoot = {"human_words": WALK, "camera_words": PUSH_IN, "seconds": 1.4, "seed": 3}
    shot = client.post("/shoot", shoot).json["id"]
    act = client.post("/act", {"words": WALK, "seconds": 1.4, "seed": 3}).json["id"]
    sweep = {"motion": motion, "words": PUSH_IN, "intensities": [0.5, 1, 1.5]}
    swept = client.post("/sweep", sweep).json["id"]
    counts = [len(client.ended(job)["answers"]) for job in (film, shot, act, swept)]
    assert counts == [3, 1, 1, 3]
    person = read_clip(saved(client, f"/jobs/{act}/1.clip", tmp_path))
    both = read_shot(saved(client, f"/jobs/{shot}/1.shot", tmp_path))
    assert torch.equal(person.motion.joints, both.clip.motion.joints) and person.frames == 35
    for path in (f"/jobs/{swept}/sheet.png", f"/jobs/{film}/2.png", f"/jobs/{act}/1.png"):
        assert client.get(path).body.startswith(b"\x89PNG"), path
    last = read_shot(saved(client, f"/jobs/{swept}/3.shot", tmp_path))
    assert last.intensity == 1.5
    newest = client.get("/jobs").json["jobs"]
    assert [job["id"] for job in newest[:4]] == [swept, act, shot, film]


def test_events_tell_a_job_to_its_end(client: Client, motion: str):
    job = client.post("/film", {"motion": motion, "words": PUSH_IN}).json["id"]
    told = client.get(f"/jobs/{job}/events").body.decode()
    states = [json.loads(line[6:])["state"] for line in told.splitlines() if line[:5] == "data:"]
    order = ["waiting", "running", "done"]
    assert states[-1] == "done" and states == sorted(states, key=order.index)


def test_an_upload_says_what_was_understood(client: Client, walk: Path):
    first = client.upload(walk.read_bytes(), "my%20walk.bvh")
    assert first.status == 201
    assert first.json["name"] == "my walk.bvh" and first.json["frames"] == 53
    assert first.json["is_filmable"] is True and "my walk.bvh" in first.json["source"]
    assert client.upload(walk.read_bytes(), "my%20walk.bvh").json["id"] == first.json["id"]
    other = client.upload(walk.read_bytes(), "my%20walk.bvh", "&fps=50").json
    assert other["id"] != first.json["id"] and other["seconds"] < first.json["seconds"]
    back = client.get(f"/motions/{first.json['id']}/motion.bvh").body
    assert back.startswith(b"HIERARCHY")
    assert client.ask("DELETE", f"/motions/{first.json['id']}").status == 204
    assert client.get(f"/motions/{first.json['id']}").status == 404


@pytest.mark.parametrize(
    "changed", [{"intensity": 9.0}, {"words": "…"}, {"guidance": -1.0}, {"seed": -3}]
)
def test_mistakes_read_as_on_the_command_line(
    client: Client, motion: str, walk: Path, changed: dict[str, Any]
):
    request = FilmRequest(read_motion(walk), PUSH_IN)
    names = {"words": "camera_words"}
    wrong = replace(request, **{names.get(name, name): it for name, it in changed.items()})
    with pytest.raises(AesopError) as told:
        wrong.check()
    came = client.post("/film", {"motion": motion, "words": PUSH_IN, **changed})
    assert came.status == 400 and came.error == str(told.value)


def test_the_picture_is_as_asked_for(client: Client, motion: str, tmp_path: Path):
    asked = {"motion": motion, "words": PUSH_IN, "first_take": True, "aspect": 2.39, "lens_mm": 35}
    job = client.ended(client.post("/film", asked).json["id"])
    camera = read_shot(saved(client, f"/jobs/{job['id']}/1.shot", tmp_path)).camera
    assert camera.aspect == 2.39
    wide = torch.full((53,), 36 / 2 / 35)
    assert torch.allclose(camera.tan_half_fov[:, 0], wide, atol=GEOMETRY32, rtol=0)
    wrong = client.post("/film", {**asked, "aspect": 0.0})
    assert wrong.status == 400 and "aspect" in wrong.error


def test_an_answer_is_delivered_as_a_command_delivers_it(
    client: Client, motion: str, tmp_path: Path
):
    asked = {"motion": motion, "words": PUSH_IN, "first_take": True, "resolution": "540x960"}
    job = client.ended(client.post("/film", asked).json["id"])["id"]
    shot = read_shot(saved(client, f"/jobs/{job}/1.shot", tmp_path))
    assert shot.resolution_px == (540, 960) and shot.camera.aspect == 540 / 960
    for query, how in (
        ("", Delivery()),
        ("?world=aesop", Delivery("aesop")),
        ("?fps=30", Delivery(fps=30.0)),
        ("?fps=30&keys=true&world=aesop", Delivery("aesop", 30.0, True)),
    ):
        path = tmp_path / "ours.json"
        write_export(shot, path, None, how.world, how.fps, keys=how.keys)
        assert client.get(f"/jobs/{job}/1.json{query}").body == path.read_bytes(), query
    for query, fact in (
        ("?fps=many", "is no number"),
        ("?fps=0", "cannot be written at 0"),
        ("?fps=nan", "cannot be written at nan"),
        ("?keys=yes", "keys is 'yes'"),
        ("?lens=3", "no option 'lens'"),
    ):
        came = client.get(f"/jobs/{job}/1.json{query}")
        assert came.status == 400 and fact in came.error, query
    refused = client.get(f"/jobs/{job}/1.csv?keys=true")
    assert refused.status == 400 and "hold them" in refused.error
    wrong = client.post("/film", {**asked, "resolution": "many"})
    assert wrong.status == 400 and "resolution" in wrong.error


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"method": "operator", "guidance": 2.0}, "guidance"),
        ({"method": "operator", "as_sampled": True}, "as_sampled"),
        ({"method": "operator", "preset": "reference"}, "preset"),
        ({"takes": 2, "first_take": True}, "first_take"),
    ],
)
def test_no_field_is_ignored(client: Client, motion: str, changed: dict[str, Any], name: str):
    came = client.post("/film", {"motion": motion, "words": PUSH_IN, **changed})
    assert came.status == 400 and came.error.startswith(f"{name} means nothing")


def test_jobs_wait_in_order_and_are_cancelled(director: Director, walk: Path, tmp_path: Path):
    slow = SlowDirector(director)
    with running(tmp_path, slow) as client:
        motion = client.upload(walk.read_bytes()).json["id"]
        asked = {"motion": motion, "words": PUSH_IN}
        jobs = [client.post("/film", asked).json["id"] for _ in range(4)]
        assert slow.begun.wait(10)
        assert [client.get(f"/jobs/{job}").json["place"] for job in jobs] == [None, 0, 1, 2]
        assert client.get(f"/jobs/{jobs[0]}/1.shot").status == 409
        assert client.ask("DELETE", f"/motions/{motion}").status == 409
        assert client.ask("POST", f"/jobs/{jobs[2]}/cancel").json["state"] == "cancelled"
        assert client.get(f"/jobs/{jobs[3]}").json["place"] == 1
        client.ask("POST", f"/jobs/{jobs[0]}/cancel")
        assert client.ended(jobs[0])["state"] == "cancelled"
        slow.may_go_on.set()
        assert [client.ended(job)["state"] for job in (jobs[1], jobs[3])] == ["done", "done"]
        assert client.ask("DELETE", f"/jobs/{jobs[1]}").status == 204
        assert client.get(f"/jobs/{jobs[1]}").status == 404


def test_what_a_server_left_is_made_by_the_next(director: Director, walk: Path, tmp_path: Path):
    slow = SlowDirector(director)
    with running(tmp_path, slow) as client:
        motion = client.upload(walk.read_bytes()).json["id"]
        asked = {"motion": motion, "words": PUSH_IN, "seed": 7}
        jobs = [client.post("/film", {**asked, "intensity": a}).json["id"] for a in (0.5, 1.5)]
        assert slow.begun.wait(10)
    with running(tmp_path, director) as client:
        ended = [client.ended(job) for job in jobs]
        assert [job["answers"][0]["intensity"] for job in ended] == [0.5, 1.5]
        assert client.get(f"/motions/{motion}").json["frames"] == 53
        shot = read_shot(saved(client, f"/jobs/{jobs[1]}/1.shot", tmp_path))
    ours = director.film(read_motion(walk), PUSH_IN, 1.5, seed=7)
    assert torch.equal(shot.camera.centre, ours.camera.centre)


def test_what_ran_when_a_server_died_waits_again(tmp_path: Path):
    first, second = ServerFolder(tmp_path), ServerFolder(tmp_path)
    first.take()
    jobs = [first.new_job(FilmJob(motion="0" * 16, words=words)) for words in (PUSH_IN, TRUCK)]
    first.save(replace(jobs[0], state="running"))
    first.close()
    assert [(job.id, job.state) for job in second.take()] == [(job.id, "waiting") for job in jobs]
    second.close()


def test_two_servers_never_share_a_folder(tmp_path: Path):
    first, second = ServerFolder(tmp_path), ServerFolder(tmp_path)
    first.take()
    with pytest.raises(AesopError, match="Another server uses"):
        second.take()
    first.close()
    second.take()
    second.close()


def test_the_oldest_go_when_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, walk: Path
):
    monkeypatch.setattr(server_folder, "MOST_JOBS", 3)
    folder = ServerFolder(tmp_path)
    folder.take()
    jobs = []
    for number in range(5):
        job = folder.new_job(FilmJob(motion="0" * 16, words=f"push in {number}"))
        folder.save(replace(job, state="done"))
        jobs.append(job.id)
    assert [job.id for job in folder.jobs()] == jobs[:1:-1]
    assert sorted(path.name for path in (tmp_path / "jobs").iterdir()) == sorted(jobs[2:])
    folder.close()


def test_a_folder_never_grows_past_its_bytes(tmp_path: Path):
    folder = ServerFolder(tmp_path, most_bytes=7900)
    folder.take()
    for number in range(7):
        job = folder.new_job(FilmJob(motion="0" * 16, words=f"push in {number}"))
        file = folder.answer_file(job, "1.shot")
        file.write_bytes(b"." * 2003)
        folder.save(replace(job, state="done"))
        folder.grew(file)
        assert folder.bytes <= 7900
    assert len(folder.jobs()) == 3  # of 2,003 bytes each and a few hundred of their own
    folder.close()


@pytest.mark.parametrize("verb", JOBS)
def test_records_survive_json_and_are_what_the_document_says(verb: Any):
    schema = job_schema(verb)
    texts = {name: "a" * 16 for name in schema["required"]}
    job = job_from_json(verb, texts)
    assert job_from_json(verb, json.loads(json.dumps(job_as_json(job)))) == job
    assert set(schema["properties"]) == {one.name for one in fields(job)}
    usual = {name: one["default"] for name, one in schema["properties"].items() if "default" in one}
    assert job_as_json(job) == texts | usual


def test_asked_says_what_filming_understands(client: Client):
    """In the words of the report, and with what it would note."""
    for words, asked, note in (
        ("push%20in", "push in", None),
        ("orbit%20twice%20around%20him", "orbit + full", "not counted"),
        ("arc%20left%2030%20degrees", "arc-left", "'30 degrees' is not measured"),
        ("push%20in,%20arc%20right,%20boom%20up,%20pan%20left", "boom-up", "the first 3 can be"),
        ("puhs%20in", "push in", "read 'puhs' as 'push'"),
        ("frobnicate%20the%20tomatoes", None, "No camera term"),
    ):
        said = client.get(f"/asked?words={words}").json
        assert said["asked"] == asked if asked is None else asked in said["asked"]
        assert (note is None and said["notes"] == []) or note in said["notes"][0]


def test_nothing_waits_for_a_slow_film(director: Director, walk: Path, tmp_path: Path):
    """The event loop answers while the worker films."""
    slow = SlowDirector(director)
    with running(tmp_path, slow) as client:
        motion = client.upload(walk.read_bytes()).json["id"]
        client.post("/film", {"motion": motion, "words": PUSH_IN})
        assert slow.begun.wait(10)
        assert client.get("/health").json["ok"] is True
        assert client.get("/vocabulary").json["camera"]["arc"]
        assert client.get("/asked?words=push%20in").json["asked"] == "push in"
        time.sleep(0)
        slow.may_go_on.set()


def test_a_folder_that_cannot_be_used_is_a_fact_and_a_remedy(tmp_path: Path):
    """(An administrator may write in any folder: a file stands in the way.)"""
    (tmp_path / "kept").touch()
    with pytest.raises(FileError, match="kept could not be written: file exists"):
        serve(ServerPlace(port=0, folder=tmp_path / "kept"), pytest.fail, lambda _: None)
    (tmp_path / "motions").touch()
    with pytest.raises(FileError, match="could not be written: file exists"):
        ServerFolder(tmp_path).take()
