extends "suite.gd"

const AskOptions := preload("res://addons/palaver/talk/ask_options.gd")
const Fallback := preload("res://addons/palaver/talk/fallback.gd")
const SaveData := preload("res://addons/palaver/talk/save_data.gd")


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


func test_a_fallback_is_never_the_last_line() -> void:
	var authored := PackedStringArray(["One.", "Two."])
	var seen := {}
	for _index: int in 50:
		var text := Fallback.choose(authored, "One.")
		seen[text] = true
	equal(seen.keys(), ["Two."], "two lines")
	equal(Fallback.choose(PackedStringArray(["One."]), "One.") in ["...", "Hm."], true, "the only one was just said")
	equal(Fallback.choose(PackedStringArray(), "..."), "Hm.", "none, and a neutral one was just said")


func test_turns_survive_being_saved() -> void:
	var turns: Array[PackedStringArray] = []
	turns.append(PackedStringArray(['Say "hi"', "Hi!\nYou."]))
	turns.append(PackedStringArray(["日本?", ""]))
	var data := SaveData.write("smith", turns)
	equal(data.begins_with('{"palaver_save":1,"npc":"smith","turns":[['), true, "the form: %s" % data)
	var loaded: Array[PackedStringArray] = []
	equal(SaveData.read(data, loaded), OK, "reading")
	equal(loaded, turns, "what was read")


func test_what_is_no_save_changes_nothing() -> void:
	var wrong := {
		"": ERR_PARSE_ERROR,
		"not json": ERR_PARSE_ERROR,
		"[]": ERR_PARSE_ERROR,
		'{"turns": []}': ERR_PARSE_ERROR,
		'{"palaver_save": 2, "turns": []}': ERR_FILE_UNRECOGNIZED,
		'{"palaver_save": 1}': ERR_PARSE_ERROR,
		'{"palaver_save": 1, "turns": [["a"]]}': ERR_PARSE_ERROR,
		'{"palaver_save": 1, "turns": [["a", 1]]}': ERR_PARSE_ERROR,
		'{"palaver_save": 1, "turns": ["ab"]}': ERR_PARSE_ERROR,
	}
	var turns: Array[PackedStringArray] = [PackedStringArray(["a", "b"])]
	for data: String in wrong:
		equal(SaveData.read(data, turns), wrong[data], data)
		equal(turns.size(), 1, data)


func test_of_many_turns_the_last_count() -> void:
	var pairs := range(20).map(func(index: int) -> Array: return ["q%d" % index, "a"])
	var turns: Array[PackedStringArray] = []
	equal(SaveData.read(JSON.stringify({"palaver_save": 1, "turns": pairs}), turns), OK, "reading")
	equal(turns.size(), 16, "how many")
	equal(turns[0][0], "q4", "the first of them")


func test_options_are_checked() -> void:
	var fine := {"seed": 0, "steps": 8, "deadline_ms": 0, "policy": "replace", "record": false, "sampler": null}
	equal(AskOptions.problem("Hello", fine), "", "what is fine")
	var wrong := [
		{"sed": 1}, {"seed": -1}, {"seed": 1.5}, {"steps": 0}, {"steps": "8"}, {"priority": 11}, {"policy": "first"},
		{"record": 1}, {"deadline_ms": 600_001}, {"sampler": "best"}, {1: 2},
	]
	for options: Dictionary in wrong:
		check(not AskOptions.problem("Hello", options).is_empty(), "%s was taken" % options)
	check(not AskOptions.problem("  ", {}).is_empty(), "blank text was taken")
	check(not AskOptions.problem("x".repeat(4001), {}).is_empty(), "long text was taken")


func test_options_are_sent_in_the_order_of_the_protocol() -> void:
	var given := {"record": false, "deadline_ms": 500, "seed": 7, "priority": 0, "policy": "queue", "steps": null}
	equal(JSON.stringify(AskOptions.fields(given, 321), "", false), '{"seed":7,"deadline_ms":321,"record":false}', "sent")


func test_a_persona_is_checked() -> void:
	equal(petra().problem(), "", "a good one")
	var persona := petra()
	persona.role = " "
	check("role" in persona.problem(), "a blank role")
	persona = petra()
	persona.knowledge.append("x".repeat(1001))
	check("knowledge[2]" in persona.problem(), "a long fact")
	persona = petra("")
	check("id" in persona.problem(), "no id")
	equal(persona.problem("petra 2"), "", "an id of its own")


func test_a_persona_becomes_data_and_back() -> void:
	var map := petra().to_map()
	equal(JSON.stringify(PalaverPersona.from_map(map).to_map()), JSON.stringify(map), "there and back")
	equal(map.has("mood"), false, "what is empty is left out")
	var odd := PalaverPersona.from_map({"id": 3, "knowledge": "no list"})
	equal(odd.to_map(), {"id": "", "name": "", "role": ""}, "odd data")
