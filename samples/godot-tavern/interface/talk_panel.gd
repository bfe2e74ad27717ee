class_name TalkPanel
extends PanelContainer
## What the player can say: three lines for one click, or anything that is typed.

signal said(text: String)

@onready var _name: Label = %Name
@onready var _role: Label = %Role
@onready var _choices: HBoxContainer = %Choices
@onready var _entry: LineEdit = %Entry
@onready var _say: Button = %Say


func _ready() -> void:
	_entry.text_submitted.connect(_on_submitted)
	_say.pressed.connect(func() -> void: _on_submitted(_entry.text))
	for choice: Button in _choices.get_children():
		choice.pressed.connect(func() -> void: said.emit(choice.text))


## Turns the panel to somebody: name, trade and the quick choices.
func face(patron: Patron) -> void:
	_name.text = patron.persona.name
	_role.text = patron.persona.role
	_entry.placeholder_text = "Say something to %s" % patron.persona.name
	for index in _choices.get_child_count():
		var choice: Button = _choices.get_child(index)
		choice.visible = index < patron.quick_choices.size()
		if choice.visible:
			choice.text = patron.quick_choices[index]


## Lets the player type, with what was typed before still there.
func start_typing() -> void:
	_entry.grab_focus()


func stop_typing() -> void:
	_entry.release_focus()


func _on_submitted(text: String) -> void:
	if not text.strip_edges().is_empty():
		said.emit(text.strip_edges())
		_entry.clear()
	stop_typing()
