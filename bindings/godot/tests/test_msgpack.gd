extends "suite.gd"

const AskOptions := preload("res://addons/palaver/talk/ask_options.gd")
const Incoming := preload("res://addons/palaver/wire/incoming.gd")
const Reader := preload("res://addons/palaver/wire/msgpack_reader.gd")
const Utf8 := preload("res://addons/palaver/wire/utf8.gd")
const World := preload("res://addons/palaver/talk/world.gd")
const Writer := preload("res://addons/palaver/wire/msgpack_writer.gd")


func written(value: Variant) -> String:
	return Writer.new().write(value).hex_encode()


func refused(hex: String) -> bool:
	var reader := Reader.new()
	var value: Variant = reader.read(hex.hex_decode())
	return value == null and not reader.problem.is_empty()


func test_whole_numbers_take_their_shortest_form() -> void:
	var forms := {
		0: "00",
		127: "7f",
		128: "cc80",
		255: "ccff",
		256: "cd0100",
		65535: "cdffff",
		65536: "ce00010000",
		0xFFFFFFFF: "ceffffffff",
		0x100000000: "cf0000000100000000",
		0x7FFFFFFFFFFFFFFF: "cf7fffffffffffffff",
		-1: "ff",
		-32: "e0",
		-33: "d0df",
		-128: "d080",
		-129: "d1ff7f",
		-32769: "d2ffff7fff",
		-2147483649: "d3ffffffff7fffffff",
	}
	for number: int in forms:
		var hex: String = forms[number]
		equal(written(number), hex, "writing %d" % number)
		equal(Reader.new().read(hex.hex_decode()), number, "reading %s" % hex)


func test_other_values() -> void:
	equal(written(null), "c0", "nil")
	equal(written(true), "c3", "true")
	equal(written(1.0), "cb3ff0000000000000", "a float stays one")
	equal(written("Grüße 日 🗡"), "b04772c3bcc39f6520e697a520f09f97a1", "text")
	equal(written(PackedStringArray(["a"])), "91a161", "a list of text")
	equal(written({"a": [1, {"b": false}]}), "81a1619201" + "81a162c2", "a map")


func test_lengths_at_which_the_form_changes() -> void:
	for length: int in [31, 32, 255, 256, 65535, 65536]:
		var text := "x".repeat(length)
		equal(Reader.new().read(Writer.new().write(text)), text, "text of %d" % length)
	for count: int in [15, 16, 1024]:
		var list := range(count)
		equal(Reader.new().read(Writer.new().write(list)), list, "list of %d" % count)


func test_what_is_beyond_the_limits_is_not_written() -> void:
	equal(written(range(1025)), "", "a list that is too long")
	equal(written("x".repeat(1 << 20)), "", "a message that is too long")
	equal(written(Vector2.ONE), "", "a type that MessagePack does not have")
	equal(written({1: 2}), "", "a key that is no text")


func test_what_is_wrong_is_refused() -> void:
	var wrong := {
		"": "nothing",
		"c1": "the byte that is never used",
		"d60100000000": "an extension type",
		"c7020100": "an extension type that is cut off",
		"a5616263": "text that is cut off",
		"92c0": "a list that is cut off",
		"81a161": "a map that is cut off",
		"810102": "a key that is no text",
		"c0c0": "bytes that are left over",
		"dd00000401": "a list that claims more than 1024",
		"dfffffffff": "a map that claims billions",
		"dbffffffff": "text that claims 4 GiB",
		"cfffffffffffffffff": "a number beyond 63 bits",
		"a1ff": "text that is no UTF-8",
		"a2c080": "text in a longer form than needed",
		"a3eda080": "a surrogate",
		"a4f4908080": "a character beyond the last one",
		"a100": "NUL",
		"c40161": "a byte string",
		"82a16101a16102": "a key that comes twice",
	}
	for hex: String in wrong:
		check(refused(hex), "%s was taken: %s" % [wrong[hex], hex])
	check(refused("91".repeat(17) + "c0"), "nested too deep")
	check(not refused("91".repeat(16) + "01"), "nested as deep as allowed was refused")
	check(refused("91".repeat(100_000)), "nested very deep")


func test_a_long_text_is_looked_at_to_its_end() -> void:
	var text := "The innkeeper nods. ".repeat(20) + "Grüße, 日本 🗡"
	equal(Reader.new().read(Writer.new().write(text)), text, "all of it")
	var bytes := text.to_utf8_buffer()
	for at: int in bytes.size():
		var broken := bytes.duplicate()
		broken[at] = 0
		check(not Utf8.is_text(broken), "NUL at %d" % at)
		broken[at] = 0xFF
		check(not Utf8.is_text(broken), "no UTF-8 at %d" % at)


func rows(variable: String) -> Array:
	var path := OS.get_environment(variable)
	var found: Array = JSON.parse_string(FileAccess.get_file_as_string(path))
	check(found.size() > 20, "few rows in %s" % path)
	return found


## What the addon sends for the same message: personas, worlds and options went through its own code.
func sent(message: Dictionary) -> Dictionary:
	var fields := message.duplicate()
	if message["type"] == "ask" and message["npc"] is String:
		for key: String in ["history", "world", "summary"]:
			fields.erase(key)
	for key: String in ["type", "request", "npc", "text"]:
		fields.erase(key)
	var built := {"type": message["type"], "request": message["request"]}
	if message["type"] == "npc.put":
		var persona: Dictionary = message["npc"]
		built["npc"] = PalaverPersona.from_map(persona).to_map()
	elif message["type"] == "world.put":
		var world: Dictionary = message["world"]
		built["world"] = World.to_map(world)
	else:
		built["npc"] = message["npc"]
		built["text"] = message["text"]
		var left_ms: int = fields["deadline_ms"] if fields.get("deadline_ms") is int else 0
		built.merge(AskOptions.fields(fields, left_ms))
	return built


func is_built_by_the_addon(row: Dictionary, message: Dictionary) -> bool:
	return row["type"] in ["npc.put", "world.put"] or row["type"] == "ask" and message["npc"] is String


func test_what_is_taken_is_what_the_protocol_says() -> void:
	for row: Dictionary in rows("PALAVER_ACCEPTED"):
		var hex: String = row["hex"]
		var reader := Reader.new()
		var message: Dictionary = reader.read(hex.hex_decode())
		equal(reader.problem, "", str(row["name"]))
		if row["from"] == "sidecar":
			equal(Incoming.problem(message), "", str(row["name"]))
		elif is_built_by_the_addon(row, message):
			equal(written(sent(message)), row["canonical"], str(row["name"]))


func test_what_the_addon_builds_is_canonical() -> void:
	var built := 0
	for row: Dictionary in rows("PALAVER_VECTORS"):
		var hex: String = row["hex"]
		if row["valid"] == true and row["from"] == "client":
			var message: Dictionary = Reader.new().read(hex.hex_decode())
			if is_built_by_the_addon(row, message):
				equal(written(sent(message)), hex, str(row["name"]))
				built += 1
	check(built > 10, "few messages")


func test_the_vectors_of_the_protocol() -> void:
	for vector: Dictionary in rows("PALAVER_VECTORS"):
		var hex: String = vector["hex"]
		var reader := Reader.new()
		var value: Variant = reader.read(hex.hex_decode())
		if vector["valid"] == true:
			equal(reader.problem, "", str(vector["name"]))
			equal(written(value), hex, str(vector["name"]))
		elif vector["code"] == "malformed-message":
			check(not value is Dictionary, "%s was taken" % vector["name"])
		if value is Dictionary and vector["from"] == "sidecar":
			var fields: Dictionary = value
			equal(Incoming.problem(fields).is_empty(), vector["valid"], str(vector["name"]))
