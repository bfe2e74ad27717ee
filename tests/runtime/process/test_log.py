import logging

from runtime.process.facts import first_line
from runtime.process.log import MAX_BYTES, OLDER_FILES, SidecarLog


def record(text):
    return logging.LogRecord("palaver", logging.INFO, __file__, 1, text, None, None)


def test_a_full_file_makes_room_and_every_file_begins_with_the_versions(tmp_path):
    log = SidecarLog(tmp_path / "palaver.log")
    for number in range(5 * MAX_BYTES // 100_000):
        log.emit(record(f"{number} " + "x" * 100_000))
    log.close()
    files = sorted(tmp_path.iterdir())
    assert [path.name for path in files] == ["palaver.log", "palaver.log.1", "palaver.log.2"]
    assert len(files) == 1 + OLDER_FILES
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert lines[0] == first_line()
        assert len(lines) > 1
        assert path.stat().st_size < MAX_BYTES + 200_000


def test_a_second_run_goes_on_in_the_same_file(tmp_path):
    for text in ("first", "second"):
        log = SidecarLog(tmp_path / "palaver.log")
        log.emit(record(text))
        log.close()
    lines = (tmp_path / "palaver.log").read_text(encoding="utf-8").splitlines()
    assert [line.split()[-1] for line in lines[1::2]] == ["first", "second"]
    assert lines[0] == lines[2] == first_line()
