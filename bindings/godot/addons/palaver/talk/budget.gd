extends RefCounted
## How much compute the game gives the sidecar: so much a frame, or a share of a core.

const Connection := preload("../wire/connection.gd")

## Milliseconds that each frame gives; 0: frames are not counted, and the share of a core holds.
var frame_ms := 0.0

var _connection: Connection
var _load := {}


func _init(connection: Connection) -> void:
	_connection = connection


## Give [param budget_ms] in each frame, up to 1000; 0 for no such limit.
func set_frame(budget_ms: float) -> void:
	var was_limited := frame_ms > 0.0
	frame_ms = clampf(budget_ms, 0.0, 1000.0)
	if was_limited and frame_ms == 0.0 and _load.is_empty():
		_load = {"max_load": 1.0}
	if was_limited != (frame_ms > 0.0):
		tell()


## Give at most [param max_load] of one core (0.001 to 1), spread over [param fps] frames a second.
func set_load(max_load: float, fps: float) -> void:
	_load = {"max_load": clampf(max_load, 0.001, 1.0)}
	if fps != 60.0:
		_load["fps"] = clampf(fps, 1.0, 1000.0)
	if frame_ms == 0.0:
		tell()


## Tell the sidecar, if there is one. A game that has set no budget says nothing: another one may have.
func tell() -> void:
	if _connection.state != Connection.State.READY:
		return
	if frame_ms > 0.0:
		# From the first tick on the sidecar waits for them; this one gives it nothing yet.
		_connection.send({"type": "tick", "frame": 0, "budget_ms": 0.0})
	elif not _load.is_empty():
		_connection.request("budget", _load)


## A frame begins. Where ticks pile up nobody computes, and one more would not help.
func tick(frame: int) -> void:
	if _connection.state == Connection.State.READY and not _connection.is_congested():
		_connection.send({"type": "tick", "frame": frame, "budget_ms": frame_ms})
