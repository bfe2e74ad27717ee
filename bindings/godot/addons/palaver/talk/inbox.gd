extends RefCounted
## Takes in what the sidecar says, and gives it to whom it concerns.

const ChoiceReader := preload("choice_reader.gd")
const Connection := preload("../wire/connection.gd")
const Fields := preload("../wire/fields.gd")
const LineReader := preload("line_reader.gd")
const OpenAsks := preload("open_asks.gd")
const Replies := preload("replies.gd")
const Roster := preload("roster.gd")

## The sidecar did not like something that nobody waits for.
signal complained(code: String, message: String)

var _roster: Roster
var _asks: OpenAsks
var _replies: Replies
var _connection: Connection


func _init(roster: Roster, asks: OpenAsks, replies: Replies, connection: Connection) -> void:
	_roster = roster
	_asks = asks
	_replies = replies
	_connection = connection


## Take in a message.
func take(message: Dictionary) -> void:
	var request := Fields.whole(message, "request", -1)
	match Fields.text(message, "type"):
		"draft":
			_take_draft(_asks.sent_as(request), message)
		"line":
			_take_line(request, message)
		"choice":
			_take_choice(request, message)
		"summary":
			_take_summary(request, message)
		"error":
			_take_error(request, Fields.text(message, "code"), Fields.text(message, "message"))
		_:
			_replies.take(request, message)


func _take_draft(given: PalaverRequest, message: Dictionary) -> void:
	if given is PalaverAsk:
		var ask: PalaverAsk = given
		ask.drafted.emit(LineReader.draft(ask, message))


func _take_line(request: int, message: Dictionary) -> void:
	var given := _asks.sent_as(request)
	var late := _asks.take_abandoned(request)
	if given is PalaverAsk:
		var ask: PalaverAsk = given
		_asks.finish(ask, LineReader.line(ask, message))
	elif late is PalaverAsk:
		var ask: PalaverAsk = late
		_asks.remember(ask, LineReader.line(ask, message))


func _take_choice(request: int, message: Dictionary) -> void:
	var given := _asks.sent_as(request)
	var _late := _asks.take_abandoned(request)
	if given is PalaverChoosing:
		var choosing: PalaverChoosing = given
		var choice := ChoiceReader.choice(choosing, message)
		if choice != null:
			_asks.settle(choosing, choice)


func _take_summary(request: int, message: Dictionary) -> void:
	var npc_id := Fields.text(message, "id")
	var asked := _asks.answer_to_come(request)
	# One that was under way while the character's memory was loaded tells of what is no more.
	if asked != null and asked.npc_id == npc_id and _roster.has(npc_id):
		_roster.record(npc_id).summarise(Fields.text(message, "text"), Fields.whole(message, "keep"))


func _take_error(request: int, code: String, message: String) -> void:
	var given := _asks.sent_as(request)
	if code == "hello-first":
		_connection.start_over()
	elif given != null:
		_asks.fail(given, code, message)
	elif _asks.take_abandoned(request) == null and not _replies.refuse(request, code, message):
		complained.emit(code, message)
