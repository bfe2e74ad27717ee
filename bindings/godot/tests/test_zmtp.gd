extends "suite.gd"

const Parser := preload("res://addons/palaver/wire/zmtp_parser.gd")
const Zmtp := preload("res://addons/palaver/wire/zmtp.gd")

## What libzmq 4.3 sends: greeting with version 3.1, then READY of a ROUTER.
const GREETING := (
	"ff00000000000000017f03014e554c4c"
	+ "00000000000000000000000000000000"
	+ "00000000000000000000000000000000"
	+ "00000000000000000000000000000000"
)
const READY := "041c0552454144590b536f636b65742d5479706500000006524f55544552"


func peer() -> PackedByteArray:
	return (GREETING + READY).hex_decode()


func messages_of(bytes: PackedByteArray, piece: int) -> Array[PackedByteArray]:
	var parser := Parser.new()
	var found: Array[PackedByteArray] = []
	for at: int in range(0, bytes.size(), piece):
		parser.feed(bytes.slice(at, at + piece))
		while parser.advance():
			found.append(parser.message)
	equal(parser.problem, "", "in pieces of %d" % piece)
	return found


func after_handshake(hex: String) -> Parser:
	var parser := Parser.new()
	parser.feed(peer())
	var _is_message := parser.advance()
	parser.outgoing.clear()
	parser.feed(hex.hex_decode())
	return parser


func test_what_a_dealer_sends() -> void:
	equal(Zmtp.greeting().size(), 64, "the greeting's size")
	equal(Zmtp.greeting().slice(0, 16).hex_encode(), "ff00000000000000007f03004e554c4c", "the greeting")
	equal(Zmtp.ready_command().hex_encode(), "041c0552454144590b536f636b65742d54797065000000064445414c4552", "READY")
	equal(Zmtp.frame("abc".to_ascii_buffer()).hex_encode(), "0003616263", "a short frame")
	var body := PackedByteArray()
	body.resize(256)
	equal(Zmtp.frame(body).slice(0, 10).hex_encode(), "02000000000000010000", "a long frame")


func test_messages_come_out_whole_however_they_come_in() -> void:
	var stream := peer()
	var sent: Array[PackedByteArray] = []
	for size: int in [0, 1, 255, 256, 5000, 0, 3]:
		var body := PackedByteArray()
		body.resize(size)
		body.fill(size & 0xFF)
		sent.append(body)
		stream.append_array(Zmtp.frame(body))
	for piece: int in [1, 2, 3, 63, 64, 65, 1000, stream.size()]:
		equal(messages_of(stream, piece), sent, "pieces of %d" % piece)


func test_the_handshake_answers_with_ready() -> void:
	var parser := Parser.new()
	parser.feed(GREETING.hex_decode())
	check(not parser.advance(), "a message out of nothing")
	equal(parser.stage, Parser.Stage.HANDSHAKE, "after the greeting")
	equal(parser.outgoing, Zmtp.ready_command(), "the answer")
	parser.feed(READY.hex_decode())
	check(not parser.advance(), "a message out of a command")
	equal(parser.stage, Parser.Stage.TRAFFIC, "after READY")


func test_a_ping_is_answered_and_other_commands_are_not() -> void:
	var parser := after_handshake("04090450494e470064" + "6869" + "0407" + "06535542534352")
	check(not parser.advance(), "a message out of commands")
	equal(parser.outgoing.hex_encode(), "040704504f4e476869", "PONG")
	equal(parser.stage, Parser.Stage.TRAFFIC, "after them")


func test_a_message_of_several_frames_is_skipped() -> void:
	var parser := after_handshake("010161" + "010162" + "000163" + "000164")
	check(parser.advance(), "no message")
	equal(parser.message.get_string_from_ascii(), "d", "the message")
	equal(parser.skipped, 1, "skipped")


func test_a_peer_that_is_none_is_found_out() -> void:
	var wrong := {
		"485454502f312e3120": "another protocol",
		"ff00000000000000007f01": "an old version",
		GREETING.replace("4e554c4c", "43555256"): "another mechanism",
		GREETING + "0003616263": "a message in the handshake",
		GREETING + "0406054552524f52": "an error in the handshake",
		GREETING + "0400": "a command without a name",
		GREETING + "0401ff": "a command whose name is cut off",
		GREETING + READY + "08" + "00": "flags that there are not",
		GREETING + READY + "0500": "a command in parts",
		GREETING + READY + "020000000000100001": "a frame of more than 1 MiB",
		GREETING + READY + "02ffffffffffffffff": "a frame of 16 EiB",
	}
	for hex: String in wrong:
		var parser := Parser.new()
		parser.feed(hex.hex_decode())
		check(not parser.advance(), "a message out of %s" % wrong[hex])
		equal(parser.stage, Parser.Stage.FAILED, str(wrong[hex]))
		check(not parser.problem.is_empty(), "nothing is said of %s" % wrong[hex])


func test_any_bytes_do_no_harm() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = 1
	for _round: int in 500:
		var parser := Parser.new()
		var bytes := PackedByteArray()
		if random.randi() % 2 == 0:
			bytes = peer()
		for _index: int in random.randi_range(1, 80):
			bytes.append(random.randi() % 256)
		parser.feed(bytes)
		for _index: int in 100:
			if not parser.advance():
				break
	check(true, "")
