from runtime.relevance import by_relevance

FACTS = (
    "The iron sword costs 40 gold.",
    "The oak shield costs 25 gold.",
    "Norwick lies to the north.",
    "Wolves were seen near Norwick.",
)


def first(said, earlier=(), facts=FACTS):
    return by_relevance(facts, said, earlier)[0]


def test_the_fact_with_the_words_of_the_question_is_first():
    assert first("How much for the shield?") == 1


def test_case_and_endings_do_not_matter():
    assert first("SHIELDS?") == 1
    assert first("Is there a wolf about?", facts=("It rains.", "A Wolf's den is near.")) == 1


def test_a_rare_word_says_more_than_a_frequent_one():
    assert first("gold for wolves") == 3


def test_what_is_said_now_says_more_than_what_was_said_before():
    assert first("And the shield?", ("The sword?", "Forty gold.")) == 1
    assert first("And for me?", ("The shield?", "It is fine oak.")) == 1


def test_words_that_every_sentence_has_say_nothing():
    assert by_relevance(FACTS, "What is it to the one by the other?") == [0, 1, 2, 3]


def test_of_equals_the_earlier_is_first():
    assert by_relevance(FACTS, "Hello") == [0, 1, 2, 3]
    assert by_relevance(FACTS, "Norwick") == [2, 3, 0, 1]


def test_scripts_without_spaces_are_compared_too():
    facts = (
        "\u9244\u306e\u5263\u306f40\u30b4\u30fc\u30eb\u30c9\u3002",
        "\u6a6b\u306e\u76fe\u306f25\u30b4\u30fc\u30eb\u30c9\u3002",
    )
    assert first("\u6a6b\u306e\u76fe\u306f\u3044\u304f\u3089\uff1f", facts=facts) == 1
    assert first("Мне нужны щиты.", facts=("Меч стоит 40 золотых.", "Щит отдам за 25.", "Дождь.")) == 1
