extends RefCounted
## Keeps a sidecar running: starts it, starts it again when it ends or hangs, and gives up when it never gets ready.

const Command := preload("command.gd")
const Process := preload("process.gd")
const Settings := preload("../settings.gd")

## A sidecar listens.
signal came_up(port: int, secret: String)
## It is gone; another one will be started.
signal went_down(why: String)
## There will be none any more, until the next [method start].
signal gave_up(why: String)

const FIRST_RESTART_MS := 250
const LAST_RESTART_MS := 10_000
## A sidecar that ran for so long was a good one: its end starts the back-off anew.
const GOOD_RUN_MS := 30_000
## Starts in a row that came to nothing.
const MAX_FAILED_STARTS := 3
## How it says that the model, the port or an argument cannot be used; the next one would say so too.
const _UNUSABLE_CODES: Array[int] = [1, 2]
## A sidecar that runs, but lets nobody in for so long, hangs.
const HANG_MS := 15_000
## A gap between two polls that is longer was the game's own, and says nothing about the sidecar.
const _LONG_FRAME_MS := 500

var _process := Process.new()
var _is_wanted := false
var _was_up := false
var _is_contact_lost := false
var _restart_at_ms := 0
var _restart_ms := FIRST_RESTART_MS
var _failed_starts := 0
var _started_ms := 0
var _contact_ms := 0
var _polled_ms := 0


## Start a sidecar and keep one running until [method stop].
func start() -> void:
	_is_wanted = true
	_failed_starts = 0
	_restart_ms = FIRST_RESTART_MS
	_restart_at_ms = 0


## End the sidecar; [method poll] sees to it.
func stop(now_ms: int) -> void:
	_is_wanted = false
	if _process.state != Process.State.ENDED:
		_process.ask_to_end(now_ms)


## End the sidecar and wait until it is gone; for the end of the game.
func finish() -> void:
	_is_wanted = false
	_process.ask_to_end(Time.get_ticks_msec())
	_process.wait_for_end()


## The process id of the sidecar; 0 when none runs.
func pid() -> int:
	return _process.pid if _process.state != Process.State.ENDED else 0


## Tell whether a client is connected, so that a sidecar that hangs is noticed.
func note_contact(is_connected_now: bool, now_ms: int) -> void:
	if is_connected_now:
		_contact_ms = now_ms
	elif not _is_contact_lost:
		_process.look_soon()
	_is_contact_lost = not is_connected_now


## Do what there is to do; to be called once a frame.
func poll(now_ms: int) -> void:
	if now_ms - _polled_ms > _LONG_FRAME_MS:
		_contact_ms += now_ms - _polled_ms
	_polled_ms = now_ms
	_process.poll(now_ms)
	match _process.state:
		Process.State.ENDED:
			if _was_up or _started_ms > 0:
				_note_end(now_ms)
			elif _is_wanted and now_ms >= _restart_at_ms:
				_begin(now_ms)
		Process.State.READY:
			if not _was_up:
				_was_up = true
				_contact_ms = now_ms
				came_up.emit(_process.port, _process.secret)
			elif now_ms - _contact_ms > HANG_MS:
				_process.kill("It has let nobody in for %d s." % roundi(HANG_MS / 1000.0))


func _begin(now_ms: int) -> void:
	var command := Command.new()
	if not command.problem.is_empty():
		_give_up(command.problem)
		return
	var arguments := command.arguments.duplicate()
	arguments.append_array(["--threads", str(Settings.value(Settings.THREADS))])
	var model := Settings.environment("PALAVER_MODEL")
	if model.is_empty():
		model = Settings.text(Settings.MODEL)
	if not model.is_empty():
		arguments.append_array(["--model", ProjectSettings.globalize_path(model)])
	_started_ms = now_ms
	_was_up = false
	_process = Process.new()
	_process.start(command.executable, arguments, now_ms)


func _note_end(now_ms: int) -> void:
	var is_unusable := not _was_up or _process.exit_code in _UNUSABLE_CODES
	_failed_starts = _failed_starts + 1 if is_unusable else 0
	if now_ms - _started_ms >= GOOD_RUN_MS:
		_restart_ms = FIRST_RESTART_MS
	_was_up = false
	_started_ms = 0
	if not _is_wanted:
		return
	var why := "The sidecar ended with exit code %d. %s" % [_process.exit_code, _process.complaint]
	if _failed_starts >= MAX_FAILED_STARTS:
		_give_up(why)
		return
	_restart_at_ms = now_ms + _restart_ms
	_restart_ms = mini(_restart_ms * 2, LAST_RESTART_MS)
	went_down.emit(why)


func _give_up(why: String) -> void:
	_is_wanted = false
	gave_up.emit(why)
