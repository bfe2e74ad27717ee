extends RefCounted
## One sidecar process, from its start to its end.
##
## It cannot outlive the game: it watches the game's process and its own standard input, which closes with the game.

const Utf8 := preload("../wire/utf8.gd")
const Fields := preload("../wire/fields.gd")

enum State { STARTING, READY, ENDED }

const FOLDER := "user://palaver"
const SECRET_VARIABLE := "PALAVER_SECRET"
const START_TIMEOUT_MS := 60_000
## How long it may take to end when it is asked to.
const END_TIMEOUT_MS := 1000
const _LOOK_EVERY_MS := 50
const _MAX_COMPLAINT_BYTES := 2000
const _PIPE_BYTES := 4096

## Where it stands.
var state := State.ENDED
## Its process id.
var pid := 0
## Where it listens, once it is READY.
var port := 0
## What a client has to know to be let in.
var secret := ""
## The exit code, once it has ENDED; -1 when it was killed or never ran.
var exit_code := -1
## Why it ended: the last of what it wrote to its standard error, or what was wrong with it. Known once it has ENDED.
var complaint := ""

var _ready_file := ""
var _stdio: FileAccess
var _stderr: FileAccess
var _written := PackedByteArray()
var _started_ms := 0
var _end_by_ms := 0
var _look_at_ms := 0


## Start it. It is ENDED at once where that does not work.
func start(executable: String, arguments: PackedStringArray, now_ms: int) -> void:
	var folder := ProjectSettings.globalize_path(FOLDER)
	DirAccess.make_dir_recursive_absolute(folder)
	_ready_file = folder.path_join("sidecar-%d.json" % OS.get_process_id())
	DirAccess.remove_absolute(_ready_file)
	secret = Crypto.new().generate_random_bytes(32).hex_encode()
	var all := arguments.duplicate()
	all.append_array(["--ready-file", _ready_file, "--parent-pid", str(OS.get_process_id()), "--stdio-guard"])
	all.append_array(["--log-file", folder.path_join("sidecar.log")])
	# A child inherits the environment, and nothing else can hand it a secret that other users cannot read.
	var before := OS.get_environment(SECRET_VARIABLE)
	OS.set_environment(SECRET_VARIABLE, secret)
	var child := OS.execute_with_pipe(executable, all, false)
	if before.is_empty():
		OS.unset_environment(SECRET_VARIABLE)
	else:
		OS.set_environment(SECRET_VARIABLE, before)
	if child.is_empty():
		complaint = "%s cannot be run." % executable
		return
	_stdio = child["stdio"]
	_stderr = child["stderr"]
	pid = child["pid"]
	_started_ms = now_ms
	state = State.STARTING


## Look how it is doing.
func poll(now_ms: int) -> void:
	if state == State.ENDED or now_ms < _look_at_ms:
		return
	_look_at_ms = now_ms + _LOOK_EVERY_MS
	_drain()
	if not OS.is_process_running(pid):
		_note_end(OS.get_process_exit_code(pid))
	elif _end_by_ms > 0 and now_ms >= _end_by_ms:
		kill("It did not end when it was asked to.")
	elif state == State.STARTING:
		_look_for_port()
		if state == State.STARTING and now_ms - _started_ms > START_TIMEOUT_MS:
			kill("It was not ready within %d s." % roundi(START_TIMEOUT_MS / 1000.0))


## Ask it to end, by closing its standard input; [method poll] kills it if it does not.
func ask_to_end(now_ms: int) -> void:
	_stdio = null
	_end_by_ms = now_ms + END_TIMEOUT_MS
	_look_at_ms = 0


## Wait until it has ended, and kill it if it does not; for the end of the game only.
func wait_for_end() -> void:
	while state != State.ENDED:
		poll(Time.get_ticks_msec())
		_look_at_ms = 0
		OS.delay_msec(2)


## End it now, because of [param why].
func kill(why: String) -> void:
	if state != State.ENDED:
		OS.kill(pid)
		_note_end(-1)
		complaint = why


## Look at the process in the next [method poll], because there is a reason to.
func look_soon() -> void:
	_look_at_ms = 0


func _look_for_port() -> void:
	if not FileAccess.file_exists(_ready_file):
		return
	var json := JSON.new()
	if json.parse(FileAccess.get_file_as_string(_ready_file)) != OK or not json.data is Dictionary:
		return
	var ready: Dictionary = json.data
	port = roundi(Fields.number(ready, "port"))
	if port > 0:
		state = State.READY


## Take what it has written, so that it is never stopped by a pipe that is full.
func _drain() -> void:
	if _stdio != null:
		_stdio.get_buffer(_PIPE_BYTES)
	var more := _stderr.get_buffer(_PIPE_BYTES)
	while not more.is_empty():
		_written = (_written + more).slice(-_MAX_COMPLAINT_BYTES)
		more = _stderr.get_buffer(_PIPE_BYTES)


func _note_end(code: int) -> void:
	_drain()
	exit_code = code
	if Utf8.is_text(_written):
		complaint = _written.get_string_from_utf8().strip_edges()
	state = State.ENDED
	_stdio = null
	_stderr = null
	DirAccess.remove_absolute(_ready_file)
