# ruff: noqa: RUF001 (Cyrillic and Arabic words are made of such letters)
"""Words that carry no secret: those that hold sentences together, and those of every other line of talk."""

_ENGLISH = """
a about above after again against all almost already also although always am an and another any anyone anything are
around as ask at away back be because been before behind being below beneath beside besides best better between beyond
both bring but by call came can cannot come comes could did do does doing done dont down each either else enough even
ever every everyone everything far few find for from gave get gets give given gives go goes going gone good got great
had has have having he hear heard help her here heres hers herself hes hey him himself his how however i id if ill im
in inside instead into is isnt it its itself ive just keep keeps kept know known knows last left less let like little
long look made make makes many may maybe me might mine more most much must my myself near need never new next no
nobody none nor not nothing now of off often oh old on once one only onto or other others our ours out outside over
own perhaps please put rather really right said same saw say says see seen self shall she shes should since so some
someone something sometimes soon still such sure take taken takes tell tells than thank thanks that thats the their
theirs them then there theres these they theyre thing things think this those though thought through till time to
today told tomorrow too took toward towards true truth under until up upon us use used very wait want wants was way we
well went were weve what when where which while who whom whose why will with within without word words would yes
yesterday yet you your youre yours yourself
"""

_RUSSIAN = """
а без бы был была были было быть в вам вас ваш во вот все всё вы где да для до его ее её если есть еще ещё же за здесь
и из или им их к как ко когда кто ли либо меня мне много мой мы на над надо нам нас наш не него нее неё нет ни никто
но ну о об он она они оно от по под при про с сам свой себя со так также там тебя то тоже только тот ты у уже чего чем
что чтобы эта эти это этот я
"""

_ARABIC = """
في من على إلى عن مع هذا هذه ذلك تلك هو هي هم أنا أنت نحن لا ما لم لن قد كان كانت يكون إن أن أو و ثم كل عند بعد قبل هنا
هناك نعم
"""

# Pairs of characters, as `words_of` gives them for text without spaces.
_CHINESE = """
我们 你们 他们 她们 这个 那个 这里 那里 什么 没有 不是 就是 可以 知道 因为 所以 但是 如果 一个
自己 的人 我的 你的 他的 是我 是你
"""
_JAPANESE = """
です ます した ませ せん こと もの それ これ あれ ここ そこ から まで ない ある いる する して
てい った には では とは のは のが がい はあ
"""

FUNCTION_WORDS = frozenset(" ".join((_ENGLISH, _RUSSIAN, _ARABIC, _CHINESE, _JAPANESE)).split())
"""Folded words, as `words_of` gives them."""
