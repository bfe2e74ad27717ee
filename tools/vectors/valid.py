"""One of each message and of each form that its fields may take."""

from runtime.actions import ActionCall
from runtime.choice import Choice, ChooseRequest
from runtime.line import Line, Timings
from runtime.messages import (
    MAX_REQUEST,
    AnyMessage,
    Ask,
    Budget,
    Bye,
    Cancel,
    Cancelled,
    ChoiceReply,
    Choose,
    DraftReply,
    ErrorReply,
    Hello,
    LineReply,
    ModelFacts,
    NpcForget,
    NpcGet,
    NpcLoad,
    NpcPut,
    NpcReply,
    NpcSave,
    NpcSummary,
    Ok,
    Ping,
    Pong,
    PromptGet,
    PromptReply,
    Report,
    Saved,
    Stats,
    Summary,
    Tick,
    Welcome,
    WorldPut,
)
from runtime.npc import Npc
from runtime.request import AskRequest
from runtime.world import World

_SMITH = Npc("smith", "Mira", "blacksmith")
_INNKEEPER = Npc(
    id="inn/keeper 2",
    name="Petra",
    role="innkeeper",
    place="Marbridge",
    mood="happy",
    manner="cheerful",
    language="English",
    knowledge=("The bowl of stew costs 3 gold.", "Oakvale lies to the east."),
    secrets=("The key is under the barrel.",),
    names=("Aldric", "King Osmund"),
    actions=("ring_bell()", "give(item: stew|ale)", "pay(amount: 1..20)"),
    fallbacks=("One moment!", "Sit down first."),
    situations={"busy": ("Not now!",), "asleep": ("Zzz.", "Come back tomorrow.")},
    banned=("dragon", "plague"),
    max_sentences=3,
    max_chars=200,
)
_MANY_TONGUES = Npc(
    id="铁匠-乙",
    name="铁匠米拉",
    role="حدّاد",
    place="Köln — “Altstadt”",
    mood="😀👩‍🚒",
    manner="\u202egnirud\u202c",
    knowledge=("剑要四十金。", "السيف بأربعين قطعة.", "Меч стоит 40 золотых. 🐉", "e\u0301 is not \u00e9"),
    secrets=("密码是青龙。",),
    fallbacks=("嗯。", "…"),
    situations={"忙": ("等一下。",)},
)
_TEXTS = (
    ("Chinese", "你卖什么呢。"),
    ("Arabic", "ماذا تبيع؟"),
    ("emoji", "👩‍👩‍👧‍👦 🏳️‍🌈 \U0001f409"),
    ("control characters", 'tab\t newline\n escape\x1b quote" backslash\\ del\x7f'),
    ("markup", "[b]bold[/b] <i>x</i> {{ npc }} %s"),
    ("the last character there is", "\U0010ffff"),
)
LINE_OF_THE_MODEL = Line(
    "Aye.", "model", "stop", 7, 16, 9, 1, 2, 0, 0.9375, True, Timings(0.0, 1.5, 20.25, 21.75, 22.0)
)
_SAVE_OF_VERSION_1 = '{"palaver_save": 1, "npc": "smith", "turns": [["Hello", "Aye."], ["你好", "嗯。"]]}'
_SAVE = '{"palaver_save": 2, "npc": "smith", "summary": "They met.", "turns": [["Hello", "Aye."], ["你好", "嗯。"]]}'
_WORLD = World.from_mapping(
    {
        "time": ["It is evening.", "Rain is falling."],
        "prices": {"facts": ["Bread costs 2 gold."], "budget_tokens": 40},
        "任务": [],
    }
)

_FROM_CLIENT: tuple[tuple[str, AnyMessage], ...] = (
    ("hello", Hello(1, 1)),
    ("hello, secret and client", Hello(1, 1, "b3c0ffee" * 8, "palaver-godot 0.1.0")),
    ("hello, client in Chinese", Hello(1, 1, client="酒馆")),
    ("hello of another protocol", Hello(1, 99)),
    *((f"ping {request}", Ping(request)) for request in (0, 127, 128, 255, 256, 65535, 65536, (1 << 32) - 1, 1 << 32)),
    ("ping, request above what a double holds", Ping((1 << 53) + 1)),
    ("ping, largest request", Ping(MAX_REQUEST)),
    ("stats", Stats(2)),
    ("npc.put, least", NpcPut(3, _SMITH)),
    ("npc.put, all fields", NpcPut(3, _INNKEEPER)),
    ("npc.put, many tongues", NpcPut(3, _MANY_TONGUES)),
    *(
        (f"npc.put, role of {length} bytes", NpcPut(3, Npc("a", "b", "c" * length)))
        for length in (31, 32, 200)
    ),
    ("npc.put, fact of 1000 bytes", NpcPut(3, Npc("a", "b", "c", knowledge=("d" * 1000,)))),
    *(
        (f"npc.put, {count} facts", NpcPut(3, Npc("a", "b", "c", knowledge=("d",) * count)))
        for count in (15, 16, 256)
    ),
    ("npc.get", NpcGet(4, "smith")),
    ("npc.forget", NpcForget(5, "铁匠-乙")),
    ("npc.save", NpcSave(6, "smith")),
    ("npc.load", NpcLoad(7, _SAVE)),
    ("npc.load, version 1", NpcLoad(7, _SAVE_OF_VERSION_1)),
    ("npc.summary", NpcSummary(7, "smith", "They spoke of swords.")),
    ("npc.summary, none, nothing kept", NpcSummary(7, "smith", "", 0)),
    ("npc.summary, longest", NpcSummary(7, "铁匠-乙", "x" * 4000, 16)),
    ("world.put", WorldPut(7, _WORLD)),
    ("world.put, nothing", WorldPut(7, World())),
    ("ask of a persona, least", Ask(8, AskRequest(_SMITH, "Hello"))),
    ("ask of a persona, history", Ask(8, AskRequest(_INNKEEPER, "The room?", history=[("Hi", "Yes?"), ("Ale", "")]))),
    ("ask of a persona, world and summary", Ask(
        8, AskRequest(_SMITH, "Well?", history=[("Hi", "Aye.")], world=_WORLD, summary="They met at the well.")
    )),
    ("ask by id, least", Ask.of_known(9, "smith", text="Hello")),
    ("ask by id, not recorded", Ask.of_known(9, "smith", text="Hello", record=False)),
    ("ask by id, all options", Ask.of_known(
        9,
        "smith",
        text="Hello",
        seed=MAX_REQUEST,
        steps=1000,
        max_tokens=4096,
        deadline_ms=600_000,
        priority=10,
        policy="replace",
        draft_every_ms=0,
        stop_after_steps=1_000_000,
        sampler="reference",
        deterministic=False,
        template="Bring me {*2-6=some pelts} by {*}.",
        must_include=["40 gold", "今晚"],
        situation="busy",
        escape="richtext",
        record=False,
    )),
    ("ask by id, least values", Ask.of_known(
        9,
        "smith",
        text="?",
        seed=0,
        steps=1,
        max_tokens=1,
        deadline_ms=1,
        priority=-10,
        policy="reject",
        draft_every_ms=600_000,
        stop_after_steps=1,
        sampler="fast",
    )),
    *((f"ask, text in {name}", Ask.of_known(9, "smith", text=text)) for name, text in _TEXTS),
    ("ask, longest text", Ask.of_known(9, "smith", text="a" * 4000)),
    *(
        (f"ask, escaped for {escape}", Ask.of_known(9, "smith", text="Hi", escape=escape))
        for escape in ("bbcode", "yarn", "ink")
    ),
    ("choose of a persona, least", Choose(13, ChooseRequest(_SMITH, "Will you?", ["Aye.", "No."]))),
    ("choose of a persona, all options", Choose(13, ChooseRequest(
        _INNKEEPER,
        "Will you?",
        ["Aye.", "No.", "也许。"],
        history=[("Hi", "Yes?")],
        world=_WORLD,
        summary="They met.",
        deadline_ms=250,
        priority=-3,
        policy="replace",
    ))),
    ("choose by id", Choose.of_known(13, "smith", text="Will you?", options=["x" * 400] * 16, policy="reject")),
    ("prompt.get by id", PromptGet.of_known(14, "smith", "Hello")),
    ("prompt.get of a persona", PromptGet(
        14, AskRequest(_SMITH, "Well?", history=[("Hi", "Aye.")], world=_WORLD, summary="They met.")
    )),
    ("cancel", Cancel(10, 9)),
    ("tick, no budget", Tick(0, 0.0)),
    ("tick", Tick(4711, 2.5)),
    ("tick, whole budget as a float", Tick(MAX_REQUEST, 1000.0)),
    ("budget", Budget(11, 1.0)),
    ("budget, fps", Budget(11, 0.1, 144.0)),
    ("bye", Bye(12)),
)  # fmt: skip

_FROM_SIDECAR: tuple[tuple[str, AnyMessage], ...] = (
    ("welcome, loading", Welcome(1, 1, "0.1.0", "loading", ModelFacts("pocket", 32, "Apache-2.0"))),
    ("welcome, ready", Welcome(1, 1, "0.1.0", "ready", ModelFacts("模型", 256, "gemma"))),
    ("pong", Pong(2)),
    ("ok", Ok(3)),
    ("npc, least", NpcReply(4, _SMITH)),
    ("npc, all fields", NpcReply(4, _INNKEEPER)),
    ("npc, many tongues", NpcReply(4, _MANY_TONGUES)),
    ("saved", Saved(6, "smith", _SAVE)),
    ("cancelled, found", Cancelled(10, 9, True)),
    ("cancelled, not found", Cancelled(10, MAX_REQUEST, False)),
    ("report, loading", Report(2, "loading", 0.25, 0.5, 1, 1, 4, 0, 0, 0, 0, 81.5, 0.0)),
    ("report, ready", Report(2, "ready", 1.0, 86400.0, 64, 1024, 70000, 123456, 789, 10, 11, 13500.125, 4.75)),
    ("draft, nothing yet", DraftReply(9, "", 0, 1, 16)),
    ("draft", DraftReply(9, "The iron sword costs", 8, 5, 16)),
    ("draft in Chinese", DraftReply(9, "剑要四十", 2, 5, 16)),
    ("line of the model", LineReply(9, LINE_OF_THE_MODEL)),
    ("line, draft at the deadline", LineReply(
        9,
        Line("القلعة", "draft", "deadline", 1 << 53, 16, 7, 0, 5, 3, 0.5, True, Timings(1.0, 2.0, 3.0, 5.0, 6.0)),
    )),
    ("line, fallback", LineReply(
        9, Line("...", "fallback", "banned", MAX_REQUEST, 0, 0, 0, 0, 0, 0.0, False, Timings(0.0, 0.0, 0.0, 0.0, 250.5))
    )),
    ("line, directions and an action", LineReply(9, Line(
        "As you wish.", "model", "stop", 7, 16, 9, 1, 4, 0, 0.5, True, Timings(0.0, 1.5, 20.25, 21.75, 22.0),
        directions=("bows", "smiles"), action=ActionCall("give", {"item": "iron kettle", "amount": 2}),
    ))),
    ("line, an action without arguments", LineReply(9, Line(
        "门开了。", "draft", "deadline", 7, 16, 9, 1, 4, 0, 0.5, True, Timings(0.0, 1.5, 20.25, 21.75, 22.0),
        action=ActionCall("open_gate", {}),
    ))),
    ("line, escaped", LineReply(9, Line(
        "[lb]Sic] Aye.", "model", "stop", 7, 16, 9, 1, 4, 0, 0.5, True, Timings(0.0, 1.5, 20.25, 21.75, 22.0),
        plain_text="[Sic] Aye.",
    ))),
    *(
        (f"line, fallback because of {reason}", LineReply(
            9, Line("...", "fallback", reason, 7, 16, 36, 1, 0, 3, 0.0, False, Timings(0.0, 1.0, 2.0, 3.0, 3.5))
        ))
        for reason in ("secret", "repeat", "filtered")
    ),
    ("line, a reason of tomorrow", LineReply(
        9, Line("Hm.", "fallback", "bored", 1, 0, 0, 0, 0, 0, 0.0, False, Timings(0.0, 0.0, 0.0, 0.0, 0.001))
    )),
    ("choice", ChoiceReply(
        13, Choice(1, (0.125, 0.75, 0.125), "model", "stop", Timings(0.0, 1.5, 20.25, 21.75, 22.0))
    )),
    ("choice, none in time", ChoiceReply(
        13, Choice(0, (0.5, 0.5), "fallback", "deadline", Timings(250.0, 0.0, 0.0, 0.0, 250.0))
    )),
    ("prompt", PromptReply(
        14, "<|system>\nYou are Mira, blacksmith.<turn|>", 23, ("knowledge: Oakvale is far.", "turn: 你好")
    )),
    ("prompt, nothing dropped", PromptReply(14, "You are Mira.", 5, ())),
    ("summary", Summary(9, "smith", "They spoke of swords.", 4)),
    ("error", ErrorReply(9, "busy", "64 asks are open, no more are taken", "Ask again when one has ended")),
    ("error of no request", ErrorReply(None, "malformed-message", "a message must be a map", "")),
)  # fmt: skip

VALID = _FROM_CLIENT + _FROM_SIDECAR
