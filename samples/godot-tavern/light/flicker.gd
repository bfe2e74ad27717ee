class_name Flicker
extends Sprite2D
## The light of a flame: never quite still.

@export var calm := 0.45
@export var restlessness := 0.12
@export var speed := 3.0

var _noise := FastNoiseLite.new()
var _time_s := 0.0


func _ready() -> void:
	_noise.seed = int(position.x)
	_noise.frequency = 0.5


func _process(delta_s: float) -> void:
	_time_s += delta_s * speed
	modulate.a = calm + restlessness * _noise.get_noise_1d(_time_s)
