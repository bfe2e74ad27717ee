class_name Patron
extends Node2D
## One character of the tavern: a picture, a [PalaverNpc] that speaks for it, and a balloon over its head.
##
## The origin is where it stands.

signal chosen(patron: Patron)

const UNCHOSEN_TINT := Color(0.8, 0.78, 0.78)

@export var persona: PalaverPersona
@export var picture: Texture2D
## What a player may say with one click.
@export var quick_choices := PackedStringArray()
## The key that chooses this character, on its plate.
@export var number := 1
## Where the balloon points, seen from the origin.
@export var mouth := Vector2(0, -260)
## How far the balloon hangs to the right of what it points at.
@export var lean_px := 0.0
## Where the plate with the name is, seen from the origin.
@export var plate := Vector2(0, 12)

var _phase_s := 0.0

@onready var npc: PalaverNpc = $Npc
@onready var _picture: Sprite2D = $Picture
@onready var _balloon: Balloon = $Balloon
@onready var _plate: Label = $Plate
@onready var _touch: Button = $Touch
@onready var _spot: Sprite2D = $Spot


func _ready() -> void:
	npc.persona = persona
	npc.asked.connect(_on_asked)
	npc.line_drafted.connect(_balloon.show_draft)
	npc.line_finished.connect(_on_line_finished)
	npc.cancelled.connect(_balloon.fall_silent)
	_picture.texture = picture
	_picture.offset = Vector2(-picture.get_width() / 2.0, -330.0)
	_balloon.tip = mouth
	_balloon.lean_px = lean_px
	_plate.text = "%d  %s" % [number, persona.name]
	_plate.position = plate - Vector2(_plate.size.x / 2.0, 0.0)
	_touch.position = Vector2(-80, mouth.y - 40.0)
	_touch.size = Vector2(160, 40.0 - mouth.y)
	_touch.pressed.connect(func() -> void: chosen.emit(self))
	_phase_s = number * 1.7
	set_chosen(false)


func _process(delta_s: float) -> void:
	_phase_s += delta_s
	_picture.scale.y = 1.0 + 0.006 * sin(_phase_s * 1.9)


## Whether this is the one the player talks to: it stands in the light.
func set_chosen(on: bool) -> void:
	_picture.modulate = Color.WHITE if on else UNCHOSEN_TINT
	_spot.visible = on
	_plate.theme_type_variation = &"ChosenPlate" if on else &"Plate"


## Says something to it; returns its answer. Options as in [method PalaverNpc.ask].
func hear(text: String, options: Dictionary = {}) -> PalaverLine:
	return await npc.ask(text, options)


## Shows again what it said last, or nothing if it has not spoken yet.
func recall() -> void:
	var turns := npc.turns()
	if turns.is_empty():
		_balloon.fall_silent()
	else:
		_balloon.show_text(turns[-1][1])


func _on_asked(_text: String) -> void:
	_balloon.show_waiting()


func _on_line_finished(line: PalaverLine) -> void:
	_balloon.show_text(line.text)
