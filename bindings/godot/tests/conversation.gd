extends SceneTree
## Holds the conversation of bindings/protocol/conversation.json with a running sidecar and prints each answer as a JSON
## text on a line of its own: [code]godot --headless --no-header --path . --script tests/conversation.gd -- PORT
## CONVERSATION.json[/code]; the secret is in PALAVER_SECRET.

const LIMIT_S := 120.0


func _initialize() -> void:
	var given := OS.get_cmdline_user_args()
	create_timer(LIMIT_S).timeout.connect(quit.bind(3))
	var client := PalaverClient.new()
	client.open(given[0].to_int(), OS.get_environment("PALAVER_SECRET"))
	var conversation: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(given[1]))
	var npcs: Array = conversation["npcs"]
	for map: Dictionary in npcs:
		var persona := PalaverPersona.from_map(map)
		var problem := client.put_npc(persona.id, persona)
		if not problem.is_empty():
			push_error(problem)
	var asks: Array = conversation["asks"]
	for wanted: Dictionary in asks:
		var ask := client.ask(str(wanted["npc"]), str(wanted["text"]), options_of(wanted))
		while not ask.is_ended():
			client.poll()
			await process_frame
		print(JSON.stringify(ask.line.text))
		if not ask.failure_code.is_empty():
			push_error("%s: %s" % [ask.failure_code, ask.failure])
	client.close()
	quit()


## The options of an ask; JSON knows one kind of numbers only.
func options_of(wanted: Dictionary) -> Dictionary:
	var options := {}
	for key: String in ["seed", "steps"]:
		if wanted.has(key):
			var number: float = wanted[key]
			options[key] = int(number)
	return options
