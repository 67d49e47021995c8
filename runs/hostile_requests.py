"""Two hundred requests that no honest client sends, for `runs/serve.py` and the tests: each must be
refused with a fact and a remedy, and leave the server as it was."""

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

JSON = {"content-type": "application/json"}
BYTES = {"content-type": "application/octet-stream"}


@dataclass(frozen=True)
class HostileRequest:
    """What is sent, and the statuses that refuse it."""

    name: str
    method: str
    path: str
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    statuses: tuple[int, ...] = (400,)


def hostile_requests(motion: str, job: str, upload_mb: int) -> list[HostileRequest]:
    """All of them, for one motion and one finished job that are really there."""
    return [
        *_paths(motion, job),
        *_strangers(),
        *_wrong_json(),
        *_wrong_fields(motion),
        *_wrong_shoots(),
        *_wrong_types(),
        *_wrong_files(upload_mb),
    ]


def _paths(motion: str, job: str) -> Iterator[HostileRequest]:
    """Ways out of the folder."""
    out = (
        "../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "..//etc/passwd",
        "..%5c..%5cwindows%5cwin.ini", "%00", "a%00.shot", "C:%5cboot.ini", "%252e%252e%252fpasswd",
        "..;/etc/passwd", "job.json", "motion.json", "1.shot%00.png", "1.shot/../job.json",
    )  # fmt: skip
    for way in out:
        for root in (f"/jobs/{job}/", f"/motions/{motion}/", "/jobs/", "/motions/"):
            yield HostileRequest(f"path {root[:6]} {way}", "GET", root + way, statuses=(404, 400))
    for name in (
        "0.shot",
        "2.shot",
        "-1.shot",
        "1.exe",
        "1",
        "1.",
        "1.SHOT",
        "01.shot",
        "1e3.shot",
    ):
        yield HostileRequest(f"file {name}", "GET", f"/jobs/{job}/{name}", statuses=(404,))
    for word in ("0" * 16, "f" * 4000, "é" * 3, "*", "' OR 1=1 --".replace(" ", "%20")):
        address = "/jobs/" + quote(word, safe="%'")
        yield HostileRequest(f"id {word[:12]}", "GET", address, statuses=(404,))
        yield HostileRequest(f"delete {word[:12]}", "DELETE", address, statuses=(404,))
    for method in ("PUT", "PATCH", "TRACE", "BREW", "POST"):
        yield HostileRequest(f"method {method}", method, "/health", statuses=(405,))


def _strangers() -> Iterator[HostileRequest]:
    """Pages of other sites, and names that point here."""
    hosts = (
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "localhost",
        "",
        "[::1]:1",
    )
    for host in hosts:
        yield HostileRequest(f"host {host}", "GET", "/health", b"", {"host": host}, (403, 400))
    for origin in ("http://evil.example", "null", "https://localhost", "file://"):
        headers = {**JSON, "origin": origin}
        yield HostileRequest(f"origin {origin}", "POST", "/film", b"{}", headers, (403,))
    for site in ("cross-site", "same-site", "sideways"):
        headers = {**JSON, "sec-fetch-site": site}
        yield HostileRequest(f"site {site}", "POST", "/act", b"{}", headers, (403,))


def _wrong_json() -> Iterator[HostileRequest]:
    bodies = {
        "nothing": b"",
        "cut off": b'{"motion": "',
        "a list": b"[]",
        "a number": b"7",
        "null": b"null",
        "NaN": b'{"intensity": NaN}',
        "infinity": b'{"intensity": -Infinity}',
        "deep lists": b"[" * 30000,
        "deep objects": b'{"a":' * 9000,
        "no text": b"\xff\xfe\x00",
        "twice": b'{"words": "a", "words": "b"}',
        "digits": b'{"seed": ' + b"9" * 5000 + b"}",
        "a comment": b'{"words": "a" /* why */}',
        "a lone half": b'{"words": "\\ud800", "motion": "a"}',
        "too long": b" " * (64 * 2**10 + 1) + b"{}",
    }
    for name, body in bodies.items():
        for verb in ("film", "act"):
            statuses = (400, 404, 413)
            yield HostileRequest(f"json {name} {verb}", "POST", f"/{verb}", body, JSON, statuses)


def _wrong_fields(motion: str) -> Iterator[HostileRequest]:
    usual = {"motion": motion, "words": "the camera pushes in"}
    wrong: dict[str, list[object]] = {
        "motion": [7, None, "", "..", "/etc/passwd", "0" * 16, ["a"], motion.upper() + "x"],
        "words": [7, None, "", "…", "a" * 1001, {}, True, "\x00"],
        "intensity": ["1", "0:9 2:1", 0, 2, -1, 1e308, 10**400, [], True],
        "seed": [-1, 1.5, "1", 10**30, True],
        "takes": [0, -1, 33, 10**9, 1.5, "2", None],
        "guidance": [-1, 21, 1e300, "x", None],
        "preset": ["slow", "", 7, "none", "__class__"],
        "method": ["magic", 0, "../model"],
        "first_take": [1, "yes", None],
        "path": ["/etc/passwd"],
        "__proto__": [{}],
    }
    for name, values in wrong.items():
        for value in values:
            body = json.dumps({**usual, name: value}).encode()
            label = f"film {name}={str(value)[:20]}"
            yield HostileRequest(label, "POST", "/film", body, JSON, (400, 404))
    for intensities in ([], [1] * 33, [1, "x"], "1", [float(2)], [[1]], None):
        body = json.dumps({**usual, "intensities": intensities}).encode()
        label = f"sweep {str(intensities)[:20]}"
        yield HostileRequest(label, "POST", "/sweep", body, JSON)


def _wrong_shoots() -> Iterator[HostileRequest]:
    usual = {"human_words": "a person waves", "camera_words": "the camera pushes in"}
    changes = [
        {"seconds": value} for value in (0, -3, 0.5, 12.5, 1e9, 10**300, "6", None, True)
    ] + [{"camera_seed": -1}, {"human_guidance": 1e9}, {"human_words": "??"}, {"camera_words": 1}]
    for change in changes:
        body = json.dumps({**usual, **change}).encode()
        yield HostileRequest(f"shoot {str(change)[:40]}", "POST", "/shoot", body, JSON)


def _wrong_types() -> Iterator[HostileRequest]:
    """Bodies of other kinds, among them what a form of a stranger's page could send."""
    form = b'--x\r\nContent-Disposition: form-data; name="f"; filename="../a.bvh"\r\n\r\nA\r\n--x'
    kinds = {
        "multipart/form-data; boundary=x": form,
        "multipart/form-data": form[:20],
        "application/x-www-form-urlencoded": b"words=a",
        "text/plain": b'{"words": "a"}',
        "application/xml": b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
        "": b"{}",
    }
    for kind, body in kinds.items():
        for path in ("/film", "/motions?name=a.bvh"):
            yield HostileRequest(f"type {kind[:20]} {path[:7]}", "POST", path, body,
                                 {"content-type": kind}, (415,))  # fmt: skip


def _wrong_files(upload_mb: int) -> Iterator[HostileRequest]:
    names = (
        "", "a", "a.exe", "..%2fa.bvh", "%2fetc%2fpasswd.bvh", "a%00.bvh", ".bvh", "a%0a.bvh",
        "x" * 120 + ".bvh", "..%5ca.bvh", "a.bvh&fps=NaN", "a.bvh&fps=x", "a.bvh&fps=1e400",
        "a.bvh&fps=-5", "a.bvh&units=parsec", "a.bvh&up=w", "a.bvh&path=%2fetc%2fpasswd",
    )  # fmt: skip
    for name in names:
        yield HostileRequest(f"name {name[:30]}", "POST", f"/motions?name={name}", b"A", BYTES)
    bodies: dict[str, tuple[str, bytes]] = {
        "no bvh": ("a.bvh", b"\x7fELF" * 999),
        "empty": ("a.bvh", b""),
        "endless joints": ("a.bvh", b"HIERARCHY\nROOT a\n{\n" + b"JOINT b\n{\n" * 20000),
        "many frames": ("a.bvh", b"MOTION\nFrames: 999999999999\nFrame Time: 0.01\n"),
        "no archive": ("a.npz", b"PK\x03\x04" * 500),
        "a zip bomb": ("a.npz", zip_bomb()),
        "a pickle": ("a.npy", b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '|O', " + b" " * 200),
        "huge shape": ("a.npy", _npy_header("(99999999, 22, 3)")),
        "negative shape": ("a.npy", _npy_header("(-5, 22, 3)")),
        "no FBX": ("a.fbx", b"Kaydara FBX Binary  \x00\x1a\x00" + b"\xff" * 999),
        "no GLB": ("a.glb", b"glTF\x02\x00\x00\x00\xff\xff\xff\x7f"),
        "a glTF that points out": ("a.gltf", _pointing_to("../../../../etc/passwd")),
        "a glTF that points to the root": ("a.gltf", _pointing_to("/etc/passwd")),
        "a glTF that points to the net": ("a.gltf", _pointing_to("http://evil.example/a.bin")),
        "a glTF without its files": ("a.gltf", _pointing_to("a.bin")),
        "no shot": ("a.shot", b"\xff" * 64),
        "huge header": ("a.shot", (2**62).to_bytes(8, "little") + b"{}"),
        "too large": ("a.bvh", b" " * (upload_mb * 2**20 + 1)),
    }
    for name, (file, body) in bodies.items():
        address = f"/motions?name={file}"
        yield HostileRequest(f"file {name}", "POST", address, body, BYTES, (400, 413))


def _pointing_to(address: str) -> bytes:
    """A glTF whose keys lie in another file."""
    keys = {"bufferView": 0, "componentType": 5126, "count": 9, "type": "SCALAR"}
    return json.dumps(
        {
            "asset": {"version": "2.0"},
            "buffers": [{"uri": address, "byteLength": 999}],
            "bufferViews": [{"buffer": 0, "byteLength": 999}],
            "accessors": [keys, {**keys, "type": "VEC4"}],
            "nodes": [{"name": "Hips"}],
            "animations": [
                {
                    "samplers": [{"input": 0, "output": 1}],
                    "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}],
                }
            ],
        }
    ).encode()


def _npy_header(shape: str) -> bytes:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def zip_bomb(mebibytes: int = 384) -> bytes:
    """An archive of under a megabyte whose one array is larger than any that is opened."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("poses.npy", "w", force_zip64=True) as stream:
            stream.write(_npy_header(f"({mebibytes * 2**20 // 1248}, 156)"))
            for _ in range(mebibytes):
                stream.write(bytes(2**20))
        archive.writestr("trans.npy", _npy_header("(1, 3)") + bytes(24))
    return packed.getvalue()
