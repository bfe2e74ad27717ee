class_name PalaverService
extends Node
## The autoload [code]Palaver[/code]: keeps a sidecar running and the connection to it, and tells it of the frames.
##
## A game adds [PalaverNpc] nodes and asks them; of this it only needs the budget, the state for a menu, and
## [method save_turns] for its save game. Without a sidecar everything goes on: characters then say the lines that were
## written for them.

## [member state] has changed.
signal state_changed(state: PalaverService.State)

enum State {
	STOPPED,  ## No sidecar is wanted.
	STARTING,  ## It is being started.
	LOADING,  ## It is there and loads the model; asks wait for it.
	READY,  ## Characters can talk.
	RESTARTING,  ## It went away and is being started again; asks wait for it, up to their deadlines.
	FAILED,  ## It cannot be started; [member reason] says why. Characters say the lines that were written for them.
}

const _Fields := preload("wire/fields.gd")
const _Settings := preload("settings.gd")
const _Supervisor := preload("sidecar/supervisor.gd")

const _REPORT_EVERY_MS := 250

## Where things stand.
var state := State.STOPPED
## Why it is RESTARTING or FAILED; empty otherwise.
var reason := ""
## How much of the model is loaded, 0 to 1.
var load_progress := 0.0
## The connection to the sidecar. Rarely needed: [PalaverNpc] uses it.
var client := PalaverClient.new()
## Compute that each frame gives the sidecar, in milliseconds; it starts nothing outside of that. 0: no such limit.
## Begins as the project setting [code]palaver/budget/ms_per_frame[/code].
var frame_budget_ms: float:
	get:
		return client.frame_budget_ms
	set(budget_ms):
		client.frame_budget_ms = budget_ms
## What the addon itself took of the last frame, in microseconds of the game's thread.
var frame_cost_usec := 0
## Messages that it took in, in the last frame.
var messages_last_frame := 0

static var _main: PalaverService

var _supervisor := _Supervisor.new()
var _is_attached := false
var _was_ready := false
var _report_at_ms := 0
var _is_reporting := false


## The autoload, for scripts that cannot name it; null while there is none.
static func main() -> PalaverService:
	return _main


func _init() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	process_priority = -1000
	client.welcomed.connect(_on_welcomed)
	client.lost.connect(_on_lost)
	client.turned_away.connect(_on_turned_away)
	client.complained.connect(_on_complained)
	_supervisor.came_up.connect(_on_came_up)
	_supervisor.went_down.connect(_on_went_down)
	_supervisor.gave_up.connect(_on_gave_up)


func _enter_tree() -> void:
	_main = self


func _ready() -> void:
	client.frame_budget_ms = _number(_Settings.MS_PER_FRAME)
	if _number(_Settings.MAX_LOAD) < 1.0:
		client.set_load_budget(_number(_Settings.MAX_LOAD), _number(_Settings.FPS))
	var autostart := _Settings.environment("PALAVER_AUTOSTART")
	if autostart == "1" or autostart.is_empty() and _Settings.value(_Settings.AUTOSTART) == true:
		start()
	else:
		client.give_up("The sidecar was not started.")


func _exit_tree() -> void:
	stop()
	_supervisor.finish()
	if _main == self:
		_main = null


func _process(_delta: float) -> void:
	var began_usec := Time.get_ticks_usec()
	var now_ms := Time.get_ticks_msec()
	if not _is_attached:
		_supervisor.poll(now_ms)
		_supervisor.note_contact(client.is_welcome(), now_ms)
	client.poll()
	if not get_tree().paused:
		client.tick(Engine.get_process_frames())
	if state == State.LOADING and not _is_reporting and now_ms >= _report_at_ms:
		_watch_loading(now_ms)
	messages_last_frame = client.messages_last_poll
	frame_cost_usec = Time.get_ticks_usec() - began_usec


## Start the sidecar; it is started again whenever it ends, until [method stop].
func start() -> void:
	var port := _Settings.environment("PALAVER_PORT")
	client.hope()
	_set_state(State.STARTING)
	if port.is_empty():
		_supervisor.start()
	else:
		_is_attached = true
		client.open(port.to_int(), _Settings.environment("PALAVER_SECRET"))


## End the sidecar. Asks that are open end with the lines that were written for them.
func stop() -> void:
	if not _is_attached:
		client.bye()
	_supervisor.stop(Time.get_ticks_msec())
	_was_ready = false
	_is_attached = false
	_set_state(State.STOPPED)
	client.give_up("The sidecar was stopped.")


## Whether characters can talk now.
func is_ready() -> bool:
	return state == State.READY


## The sidecar's process id; 0 when the addon runs none.
func sidecar_pid() -> int:
	return _supervisor.pid()


## Let the sidecar take at most [param max_load] of one core (0.001 to 1), spread over [param fps] frames a second.
## Instead of [member frame_budget_ms], where the sidecar has a core of its own.
func set_load_budget(max_load: float, fps := 60.0) -> void:
	client.frame_budget_ms = 0.0
	client.set_load_budget(max_load, fps)


## What the sidecar tells of itself: uptime, memory, counts of lines, cost of a step; empty when it does not answer.
func stats() -> Dictionary:
	return await client.stats()


## Tell what is true in the game right now, for all characters: facts by the name of their section, one sentence each.
## [codeblock]
## Palaver.put_world({
##     "time": ["It is evening."],
##     "prices": {"facts": ["A room costs 5 gold.", "Ale costs 1 gold."], "budget_tokens": 40},
## })
## [/codeblock]
## Each world takes the place of the one before; {} is one of which nothing is known. The model reads the sections in
## this order: what changes least comes first. Of a section with a budget it reads no more tokens than that, first of all
## what has to do with the question. Returns ERR_INVALID_DATA, and says why in the log, for what is no world.
func put_world(world: Dictionary) -> Error:
	var found := client.put_world(world)
	if found.is_empty():
		return OK
	push_error(found)
	return ERR_INVALID_DATA


## What all characters remember, for the game's own save data: their ids, each with a text.
func save_turns() -> Dictionary:
	var saves := {}
	for npc_id: String in client.npc_ids():
		saves[npc_id] = client.save_turns(npc_id)
	return saves


## Give all characters back what [method save_turns] saved. What those remember that are not in [param saves] is
## forgotten, and open asks end as cancelled. The first error is returned, see [method PalaverClient.load_turns]; the
## other characters are loaded all the same.
func load_turns(saves: Dictionary) -> Error:
	var first := OK
	for npc_id: String in client.npc_ids():
		if not saves.has(npc_id):
			client.forget(npc_id)
	for npc_id: String in saves:
		var error := client.load_turns(npc_id, _Fields.text(saves, npc_id))
		first = error if first == OK else first
	return first


func _on_came_up(port: int, secret: String) -> void:
	client.open(port, secret)


func _on_went_down(why: String) -> void:
	client.close()
	reason = why
	_set_state(State.RESTARTING)


func _on_gave_up(why: String) -> void:
	reason = why
	_set_state(State.FAILED)
	client.give_up(why)
	push_warning("Palaver has no sidecar. %s" % why)


func _on_welcomed(welcome: Dictionary) -> void:
	reason = ""
	_report_at_ms = 0
	if _Fields.text(welcome, "state") == "loading":
		_set_state(State.LOADING)
	else:
		_note_ready()


func _on_lost(problem: String) -> void:
	if state == State.READY or state == State.LOADING:
		reason = problem
		_set_state(State.RESTARTING if _was_ready else State.STARTING)


func _on_turned_away(_code: String, message: String) -> void:
	reason = message
	_set_state(State.FAILED)
	push_warning("Palaver: %s" % message)


func _on_complained(code: String, message: String) -> void:
	push_warning("Palaver: %s (%s)" % [message, code])


func _watch_loading(now_ms: int) -> void:
	_report_at_ms = now_ms + _REPORT_EVERY_MS
	_is_reporting = true
	var report := await client.stats()
	_is_reporting = false
	load_progress = _Fields.number(report, "load_progress", load_progress)
	if state == State.LOADING and _Fields.text(report, "state") == "ready":
		_note_ready()


func _note_ready() -> void:
	_was_ready = true
	load_progress = 1.0
	_set_state(State.READY)


func _set_state(new_state: State) -> void:
	if state != new_state:
		state = new_state
		if state == State.READY or state == State.STARTING or state == State.STOPPED:
			reason = ""
		state_changed.emit(state)


static func _number(key: String) -> float:
	return _Settings.value(key)
