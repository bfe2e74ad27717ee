class_name Driver
extends Node
## Opens the tavern and plays it as a player would: by keys, typing and waiting. What happens is told on standard output,
## one JSON text a line.

const TAVERN := preload("res://tavern.tscn")

var tavern: Tavern


func open_tavern() -> void:
	tavern = TAVERN.instantiate()
	tavern.save_path = "user://scripted_play.json"
	add_child(tavern)
	while not Palaver.is_ready():
		await Palaver.state_changed
	tell("ready", {"game": OS.get_process_id(), "sidecar": Palaver.sidecar_pid()})


func close_tavern() -> void:
	tell("quit", {})
	get_tree().quit()


func tell(step: String, facts: Dictionary) -> void:
	var told := {"step": step}
	told.merge(facts)
	print(JSON.stringify(told, "", false))


func tell_line(step: String, patron: Patron, line: PalaverLine) -> void:
	tell(step, {
		"npc": patron.persona.id,
		"asked": line.asked,
		"text": line.text,
		"source": line.source_name(),
		"finish_reason": line.finish_reason,
		"seed": line.seed,
		"total_ms": line.timings.get("total_ms", 0.0),
	})


func press(key: Key) -> void:
	var event := InputEventKey.new()
	event.keycode = key
	event.pressed = true
	Input.parse_input_event(event)
	Input.flush_buffered_events()


func type(text: String) -> void:
	for index in text.length():
		var event := InputEventKey.new()
		event.unicode = text.unicode_at(index)
		event.pressed = true
		Input.parse_input_event(event)
	Input.flush_buffered_events()


## The value behind a user argument, such as the path in [code]-- --out picture.png[/code].
static func argument(argument_name: String, default: String) -> String:
	var arguments := OS.get_cmdline_user_args()
	var index := arguments.find(argument_name)
	return arguments[index + 1] if index >= 0 and index + 1 < arguments.size() else default
