from runtime.hygiene.white_space import on_one_line


def test_white_space_is_one_space_and_the_line_is_one_line():
    assert on_one_line("  Hello\r\n\n  there,\tfriend.\u00a0\u2028 \n") == "Hello there, friend."
    assert on_one_line("你好。\n再见。\u3000好") == "你好。 再见。 好"
