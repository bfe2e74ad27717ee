class_name Tavern
extends Node2D
## The game: four characters, one of whom the player talks to.

const CHOOSING_KEYS: Array[Key] = [KEY_1, KEY_2, KEY_3, KEY_4]
## What F4 tells all of them.
const RUMOUR := "Wolves were seen near Stonebridge."

## Where F5 saves and F9 loads.
var save_path := "user://tavern.json"
## Who the player talks to.
var chosen: Patron

var _patrons: Array[Patron] = []
var _has_spread := false

@onready var _panel: TalkPanel = %TalkPanel
@onready var _overlay: Overlay = %Overlay
@onready var _settings: SettingsPanel = %SettingsPanel
@onready var _notice: Notice = %Notice


func _ready() -> void:
	for patron: Patron in find_children("*", "Patron"):
		_patrons.append(patron)
		patron.chosen.connect(choose)
		patron.npc.line_finished.connect(_overlay.note.bind(patron))
	_panel.said.connect(say)
	_settings.budget_changed.connect(func(budget_ms: float) -> void: Palaver.frame_budget_ms = budget_ms)
	_settings.deadline_changed.connect(set_deadline)
	_settings.show_values(Palaver.frame_budget_ms, _patrons[0].npc.deadline_ms)
	_overlay.hide()
	choose(_patrons[0])


func _process(_delta_s: float) -> void:
	if _patrons.any(func(patron: Patron) -> bool: return patron.npc.is_asking()):
		_overlay.offer(Palaver.frame_budget_ms)


func _unhandled_key_input(event: InputEvent) -> void:
	var key := event as InputEventKey
	if key == null or not key.pressed or key.echo:
		return
	get_viewport().set_input_as_handled()
	match key.keycode:
		KEY_1, KEY_2, KEY_3, KEY_4:
			choose(_patrons[CHOOSING_KEYS.find(key.keycode)])
		KEY_ENTER, KEY_KP_ENTER:
			_panel.start_typing()
		KEY_ESCAPE:
			chosen.npc.cancel()
		KEY_F2:
			_settings.visible = not _settings.visible
		KEY_F3:
			_overlay.visible = not _overlay.visible
		KEY_F4:
			spread_rumour()
		KEY_F5:
			save_talk()
		KEY_F8:
			kill_sidecar()
		KEY_F9:
			load_talk()


## All characters, in the order of their keys.
func patrons() -> Array[Patron]:
	return _patrons


## Turns to a character.
func choose(patron: Patron) -> void:
	chosen = patron
	for other in _patrons:
		other.set_chosen(other == patron)
	_panel.face(patron)


## Says something to the chosen character.
func say(text: String) -> void:
	chosen.hear(text)


func set_deadline(deadline_ms: int) -> void:
	for patron in _patrons:
		patron.npc.deadline_ms = deadline_ms


## Something has happened in the world, and everybody knows of it; a second time, it is forgotten.
func spread_rumour() -> void:
	_has_spread = not _has_spread
	Palaver.put_world({"rumours": [RUMOUR] if _has_spread else []})
	_notice.tell("Everybody has heard: %s" % RUMOUR if _has_spread else "Nobody talks of wolves any more.")


func save_talk() -> void:
	var error := SavedTalk.write(save_path)
	_notice.tell("The talk is saved." if error == OK else "Could not save: %s" % error_string(error))


func load_talk() -> void:
	var error := SavedTalk.read(save_path)
	_notice.tell("The talk is where it was saved." if error == OK else "Could not load: %s" % error_string(error))
	for patron in _patrons:
		patron.recall()


## What a crash of the sidecar looks like, to see what the game makes of it.
func kill_sidecar() -> void:
	var pid := Palaver.sidecar_pid()
	if pid == 0:
		_notice.tell("There is no sidecar to kill.")
		return
	if OS.has_feature("windows"):
		OS.kill(pid)
	else:
		# OS.kill also buries the process, so that the addon would ask the system about one that is not there any more.
		OS.execute("kill", ["-9", str(pid)])
	_notice.tell("The sidecar (pid %d) was killed." % pid)
