extends "suite.gd"

const AskOptions := preload("res://addons/palaver/talk/ask_options.gd")
const Fallback := preload("res://addons/palaver/talk/fallback.gd")
const Memory := preload("res://addons/palaver/talk/memory.gd")
const NpcRecord := preload("res://addons/palaver/talk/npc_record.gd")
const SaveData := preload("res://addons/palaver/talk/save_data.gd")
const Template := preload("res://addons/palaver/talk/template.gd")
const World := preload("res://addons/palaver/talk/world.gd")


func test_markup_is_shown_and_not_obeyed() -> void:
	var shown := RichTextLabel.new()
	shown.bbcode_enabled = true
	for text: String in ["[b]loud[/b]", "a [ b", "[[url=x]]", "[lb]", "]", "[img]res://icon.svg[/img]", "plain"]:
		shown.text = PalaverMarkup.escape(text)
		equal(shown.get_parsed_text(), text, "escaped")
	shown.free()


func test_a_draft_shows_what_may_still_change() -> void:
	var draft := PalaverDraft.new()
	draft.text = "Grüße [sic] und so"
	draft.stable_chars = 6
	equal(draft.settled() + "|" + draft.unsettled(), "Grüße |[sic] und so", "the parts")
	equal(PalaverMarkup.draft(draft, Color.RED), "Grüße [color=#ff0000ff][lb]sic] und so[/color]", "the markup")
	draft.stable_chars = 100
	equal(PalaverMarkup.draft(draft, Color.RED), "Grüße [lb]sic] und so", "nothing left to change")


func test_a_draft_that_is_escaped_is_not_escaped_again() -> void:
	var draft := PalaverDraft.new()
	draft.text = "[b]Aye[/b], [lb]so"
	draft.stable_chars = 11
	draft.escape = "bbcode"
	equal(PalaverMarkup.draft(draft, Color.RED), "[b]Aye[/b],[color=#ff0000ff] [lb]so[/color]", "the markup")


func test_a_line_for_a_label() -> void:
	var line := PalaverLine.new()
	line.text = "a [ b"
	line.plain_text = line.text
	equal(line.bbcode(), "a [lb] b", "a line without markup")
	line.escape = "bbcode"
	line.text = "[b]Aye[/b], [lb]so"
	line.plain_text = "[b]Aye[/b], [so"
	equal(line.bbcode(), line.text, "one that was asked for as BBCode")
	line.escape = "yarn"
	line.text = "\\[so"
	line.plain_text = "[so"
	equal(line.bbcode(), "[lb]so", "one for another engine")


func test_a_fallback_is_never_the_last_line() -> void:
	var authored := PackedStringArray(["One.", "Two."])
	var seen := {}
	for _index: int in 50:
		var text := Fallback.choose([authored], "One.")
		seen[text] = true
	equal(seen.keys(), ["Two."], "two lines")
	equal(Fallback.choose([PackedStringArray(["One."])], "One.") in ["...", "Hm."], true, "the only one was just said")
	equal(Fallback.choose([], "..."), "Hm.", "none, and a neutral one was just said")


func test_a_fallback_for_a_situation_comes_first() -> void:
	var record := NpcRecord.new()
	record.set_persona({"fallbacks": ["Not now."], "situations": {"at night": ["Come back at dawn."]}})
	equal(record.fallback_text("at night"), "Come back at dawn.", "its own")
	equal(record.fallback_text("at night"), "Not now.", "its own was just said")
	check(record.fallback_text("at sea") in ["...", "Hm."], "there is none for this one, and the other was just said")
	equal(record.fallback_text(""), "Not now.", "no situation")


func test_a_line_that_was_written_beforehand_holds_its_pins() -> void:
	var cases: Array = JSON.parse_string(FileAccess.get_file_as_string(OS.get_environment("PALAVER_PINS")))
	check(cases.size() > 20, "few cases")
	for case: Dictionary in cases:
		var template: String = case["template"]
		var phrases: PackedStringArray = case["must_include"]
		equal(Template.written_beforehand(template, phrases, "Not now."), case["text"], "%s %s" % [template, phrases])
		equal(Template.new(template, phrases).problem, "", template)


func test_what_is_no_template() -> void:
	var wrong := [
		"Aye.", "{", "}", "{*", "{x}", "{*0}", "{*3-2}", "{*65}", "{*=}", "{*}{*}", "{*} {*}", "{*=a{b}", "{*}a".repeat(17),
	]
	for text: String in wrong:
		check(not Template.new(text, PackedStringArray()).problem.is_empty(), "%s was taken" % text)
	var no_room := AskOptions.problem("Hello", {"template": "Aye, {*2}", "must_include": ["my lord"]})
	check("my lord" in no_room, "a phrase without a gap for it: %s" % no_room)
	equal(Template.written_beforehand("{x}", PackedStringArray(["Aye."]), "No."), "No. Aye.", "said instead")


func test_what_is_remembered_survives_being_saved() -> void:
	var memory := Memory.new()
	memory.remember('Say "hi"', "Hi!\nYou.")
	memory.remember("日本?", "")
	memory.summary = "They met in Grünau."
	var data := SaveData.write("smith", memory)
	var form := '{"palaver_save":2,"npc":"smith","summary":"They met in Grünau.","turns":[['
	equal(data.begins_with(form), true, "the form: %s" % data)
	var loaded := Memory.new()
	equal(SaveData.read(data, loaded), OK, "reading")
	equal([loaded.turns, loaded.summary], [memory.turns, memory.summary], "what was read")
	equal(SaveData.read('{"palaver_save": 1, "npc": "smith", "turns": [["a", "b"]]}', loaded), OK, "an old one")
	equal([loaded.turns, loaded.summary], [[PackedStringArray(["a", "b"])] as Array[PackedStringArray], ""], "its content")


func test_what_is_no_save_changes_nothing() -> void:
	var wrong := {
		"": ERR_PARSE_ERROR,
		"not json": ERR_PARSE_ERROR,
		"[]": ERR_PARSE_ERROR,
		'{"turns": []}': ERR_PARSE_ERROR,
		'{"palaver_save": 3, "turns": []}': ERR_FILE_UNRECOGNIZED,
		'{"palaver_save": 1}': ERR_PARSE_ERROR,
		'{"palaver_save": 2, "summary": 1, "turns": []}': ERR_PARSE_ERROR,
		'{"palaver_save": 2, "summary": "%s", "turns": []}' % "x".repeat(4001): ERR_PARSE_ERROR,
		'{"palaver_save": 1, "turns": [["a"]]}': ERR_PARSE_ERROR,
		'{"palaver_save": 1, "turns": [["a", 1]]}': ERR_PARSE_ERROR,
		'{"palaver_save": 1, "turns": ["ab"]}': ERR_PARSE_ERROR,
	}
	var memory := Memory.new()
	memory.remember("a", "b")
	for data: String in wrong:
		equal(SaveData.read(data, memory), wrong[data], data.left(60))
		equal(memory.turns.size(), 1, data.left(60))


func test_of_many_turns_the_last_count() -> void:
	var pairs := range(20).map(func(index: int) -> Array: return ["q%d" % index, "a"])
	var memory := Memory.new()
	equal(SaveData.read(JSON.stringify({"palaver_save": 1, "turns": pairs}), memory), OK, "reading")
	equal(memory.turns.size(), 16, "how many")
	equal(memory.turns[0][0], "q4", "the first of them")
	memory.summarise("Much was said.", 4)
	equal([memory.turns.size(), memory.turns[0][0], memory.summary], [4, "q16", "Much was said."], "told in short")
	memory.summarise("", 0)
	equal(memory.is_empty(), true, "nothing is kept")


func test_options_are_checked() -> void:
	var fine := {"seed": 0, "steps": 8, "deadline_ms": 0, "policy": "replace", "record": false, "sampler": null}
	fine.merge({"template": "Aye, {*}", "must_include": ["my lord"], "situation": "at night", "escape": "bbcode"})
	equal(AskOptions.problem("Hello", fine), "", "what is fine")
	var wrong := [
		{"sed": 1}, {"seed": -1}, {"seed": 1.5}, {"steps": 0}, {"steps": "8"}, {"priority": 11}, {"policy": "first"},
		{"record": 1}, {"deadline_ms": 600_001}, {"sampler": "best"}, {1: 2},
		{"template": "Aye."}, {"template": ""}, {"template": 1}, {"must_include": "aye"}, {"must_include": [" "]},
		{"must_include": PackedStringArray("abcdefghi".split())}, {"situation": "x".repeat(201)}, {"escape": "html"},
	]
	for options: Dictionary in wrong:
		check(not AskOptions.problem("Hello", options).is_empty(), "%s was taken" % options)
	for key: String in ["history", "world", "summary"]:
		check("use " in AskOptions.problem("Hello", {key: []}), "%s is told of elsewhere" % key)
	check(not AskOptions.problem("  ", {}).is_empty(), "blank text was taken")
	check(not AskOptions.problem("x".repeat(4001), {}).is_empty(), "long text was taken")


func test_options_are_sent_in_the_order_of_the_protocol() -> void:
	var given := {"record": false, "deadline_ms": 500, "seed": 7, "priority": 0, "policy": "queue", "steps": null}
	equal(JSON.stringify(AskOptions.fields(given, 321), "", false), '{"seed":7,"deadline_ms":321,"record":false}', "sent")


func test_answers_to_choose_from_are_checked() -> void:
	var two := PackedStringArray(["Aye.", "No."])
	var fine := {"deadline_ms": 500, "priority": 1, "policy": "reject"}
	equal(AskOptions.problem_of_choice("Well?", two, fine), "", "what is fine")
	for wrong: Array in [["Aye."], range(17).map(str), ["Aye.", " "], ["Aye.", "x".repeat(401)]]:
		check(not AskOptions.problem_of_choice("Well?", PackedStringArray(wrong), {}).is_empty(), "%s was taken" % [wrong])
	check(not AskOptions.problem_of_choice("Well?", two, {"seed": 1}).is_empty(), "a choice has no seed")


func test_a_world_is_checked() -> void:
	var fine := {"time": ["It is evening."], "prices": {"facts": PackedStringArray(["Ale costs 1."]), "budget_tokens": 40}}
	equal(World.problem(fine), "", "what is fine")
	var sent := '{"time":["It is evening."],"prices":{"facts":["Ale costs 1."],"budget_tokens":40}}'
	equal(JSON.stringify(World.to_map(fine), "", false), sent, "as it is sent")
	equal(World.to_map({"time": {"facts": []}}), {"time": []}, "a section without a budget")
	var many := {}
	for index: int in 3:
		many[str(index)] = range(200).map(func(fact: int) -> String: return "Fact %d." % fact)
	var wrong := [
		{"": ["a"]}, {1: ["a"]}, {"a": "b"}, {"a": [" "]}, {"a": [1]}, {"a": ["x".repeat(1001)]}, {"a": {"fact": ["b"]}},
		{"a": {"facts": ["b"], "budget_tokens": -1}}, {"a": {"facts": ["b"], "budget_tokens": 1.5}}, many,
	]
	for world: Dictionary in wrong:
		check(not World.problem(world).is_empty(), "%s was taken" % str(world).left(80))


func test_a_persona_is_checked() -> void:
	equal(petra().problem(), "", "a good one")
	var persona := petra()
	persona.role = " "
	check("role" in persona.problem(), "a blank role")
	persona = petra()
	persona.knowledge.append("x".repeat(1001))
	check("knowledge[2]" in persona.problem(), "a long fact")
	for wrong: Dictionary in [
		{"secrets": [" "]}, {"names": ["x".repeat(201)]}, {"actions": range(33).map(str)}, {"max_sentences": 21},
		{"max_chars": 19}, {"max_chars": 2001}, {"situations": {" ": ["a"]}}, {"situations": {"a": [" "]}},
	]:
		var map := petra().to_map()
		map.merge(wrong)
		check(not PalaverPersona.from_map(map).problem().is_empty(), "%s was taken" % wrong)
	persona = petra("")
	check("id" in persona.problem(), "no id")
	equal(persona.problem("petra 2"), "", "an id of its own")


func test_a_persona_is_a_resource_with_all_its_fields() -> void:
	var map := petra().to_map()
	map["mood"] = "tired"
	map["manner"] = "gruff"
	map["language"] = "English"
	map.merge({"secrets": ["The key lies under the stove."], "names": ["Bruno"], "actions": ["pay(amount: 1..20)"]})
	map.merge({"situations": {"at night": ["Come back at dawn."], "at sea": []}, "banned": ["damn"]})
	map.merge({"max_sentences": 2, "max_chars": 200})
	var path := "user://persona.tres"
	equal(ResourceSaver.save(PalaverPersona.from_map(map), path), OK, "saving")
	var loaded: PalaverPersona = ResourceLoader.load(path, "", ResourceLoader.CACHE_MODE_IGNORE)
	equal(loaded.to_map(), map, "loaded")
	equal(loaded.problem(), "", "a good one")
	equal(PalaverPersona.new().situations.is_empty(), true, "the next persona has none of it")
	var as_json: Dictionary = JSON.parse_string(JSON.stringify(map))
	equal(PalaverPersona.from_map(as_json).to_map(), map, "from JSON, whose numbers have fractions")


func test_a_persona_becomes_data_and_back() -> void:
	var map := petra().to_map()
	equal(JSON.stringify(PalaverPersona.from_map(map).to_map()), JSON.stringify(map), "there and back")
	equal(map.has("mood"), false, "what is empty is left out")
	var odd := PalaverPersona.from_map({"id": 3, "knowledge": "no list", "situations": ["none"], "max_chars": "many"})
	equal(odd.to_map(), {"id": "", "name": "", "role": ""}, "odd data")
