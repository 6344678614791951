"""Sums, programs and words of other languages for the advanced inference tasks, and puzzles with one result."""

from __future__ import annotations

from minidata_things import apple
from minidata_topics import BLUE, BROWN, GREEN, GREY, INK, LIGHT, NAVY, ORANGE, PAPER, RED, TEAL, WHITE, YELLOW, Pen
from minidata_truth_pen import Drawing, Scene, hands, listing, say

BOARD = "#2f5d4a"


# -- mathematics ---------------------------------------------------------------------------------
def fraction(p: Pen, x: float, y: float, over: str, under: str, color: str = WHITE, size: float = 34) -> None:
    say(p, x, y - size * 0.62, over, size, color)
    p.line([(x - size * 0.5, y), (x + size * 0.5, y)], color, 4)
    say(p, x, y + size * 0.68, under, size, color)


def line(text: str, size: float = 36, color: str = WHITE) -> Drawing:
    return lambda p: say(p, 112, 112, text, size, color)


def fractions(p: Pen) -> None:
    fraction(p, 62, 112, "3", "4")
    say(p, 112, 112, ">", 36, WHITE)
    fraction(p, 162, 112, "2", "3")


def triangle(p: Pen) -> None:
    p.poly([(48, 176), (176, 176), (48, 80)], YELLOW)
    p.box(48, 162, 62, 176, INK)
    p.box(50, 164, 60, 174, YELLOW)
    say(p, 112, 196, "4 cm", 22)
    say(p, 24, 128, "3 cm", 18)
    say(p, 140, 116, "5 cm", 22)


def power(p: Pen) -> None:
    say(p, 70, 116, "2", 48, WHITE)
    say(p, 92, 92, "5", 28, WHITE)
    say(p, 152, 116, "= 25", 48, WHITE)


MATH: tuple[Scene, ...] = (
    (BOARD, line("3 x 4 = 12"), (("Is what is written on the board true?", "Yes"),
                                 ("Would it be true with 13 in the place of 12?", "No"))),
    (BOARD, line("17 - 9 = 6"), (("Is what is written on the board true?", "No"),
                                 ("Would it be true with 8 in the place of 6?", "Yes"))),
    (BOARD, fractions, (("Is what is written on the board true?", "Yes"), ("Are the two fractions equal?", "No"))),
    (PAPER, triangle, (("Is the triangle right-angled?", "Yes"), ("Is its perimeter 15 cm?", "No"))),
    (BOARD, power, (("Is what is written on the board true?", "No"),
                    ("Would it be true with 32 in the place of 25?", "Yes"))),
    (BOARD, line("2  4  8  16  ?", 30), (("Each number is twice the one before it. Is the next one 32?", "Yes"),
                                         ("Each number is twice the one before it. Is the next one 24?", "No"))),
)  # fmt: skip


# -- programs ------------------------------------------------------------------------------------
def program(*lines: str) -> Drawing:
    """A window with a program in Python, in letters that fill it."""
    size = min(19.0, 200 / (0.62 * max(len(text) for text in lines)))

    def draw(p: Pen) -> None:
        p.box(6, 6, 218, 218, "#172029", 8)
        p.box(6, 6, 218, 28, "#33414f", 8)
        for x, color in ((20, RED), (36, YELLOW), (52, GREEN)):
            p.disc(x, 17, 5, color)
        listing(p, lines, size, 13, 44, "#d7e3ec")

    return draw


CODE: tuple[Scene, ...] = (
    (GREY, program("total = 0", "for n in [1, 2, 3]:", "    total += n", "print(total)"),
     (("Does this Python program print 6?", "Yes"), ("Does this Python program print three lines?", "No"))),
    (GREY, program("def double(x):", "    return x * 2", "", "print(double(5) + 1)"),
     (("Does this Python program print 11?", "Yes"), ("Does this Python program print 12?", "No"))),
    (GREY, program("a = ['x', 'y', 'z']", "print(a[3])"),
     (("Does this Python program end with an error?", "Yes"), ("Does this Python program print z?", "No"))),
    (GREY, program("x = 7", "if x > 10:", "    print('big')", "else:", "    print('small')"),
     (("Does this Python program print small?", "Yes"), ("Does this Python program print big?", "No"))),
    (GREY, program("s = 'level'", "print(s == s[::-1])"),
     (("Does this Python program print True?", "Yes"), ("Does this Python program change s?", "No"))),
    (GREY, program("n = 3", "while n > 0:", "    print(n)", "    n = n - 1"),
     (("Does the loop of this Python program come to an end?", "Yes"),
      ("Does this Python program print 0?", "No"))),
)  # fmt: skip


# -- other languages; words without accents, as the typeface has none -----------------------------
def sign(*words: str, color: str = NAVY) -> Drawing:
    def draw(p: Pen) -> None:
        p.box(10, 50, 214, 174, color, 10)
        p.box(16, 56, 208, 168, WHITE, 7)
        step = 96 / len(words)
        for number, word in enumerate(words):
            say(p, 112, 64 + step * (number + 0.5), word, 28 if len(word) < 13 else 24, INK)

    return draw


TRANSLATE: tuple[Scene, ...] = (
    (LIGHT, sign("Guten Morgen"), (("Is this German for 'good morning'?", "Yes"),
                                   ("Is this German for 'good night'?", "No"))),
    (LIGHT, sign("la casa blanca", color=RED), (("Does the Spanish text mean 'the white house'?", "Yes"),
                                                ("Does the Spanish text mean 'the black cat'?", "No"))),
    (LIGHT, sign("il latte caldo", color=GREEN), (("Does the Italian text name hot milk?", "Yes"),
                                                  ("Does the Italian text name cold coffee?", "No"))),
    (LIGHT, sign("merci beaucoup", color=BLUE), (("Is this how one says thanks in French?", "Yes"),
                                                 ("Is this how one says goodbye in French?", "No"))),
    (LIGHT, sign("cat = gatto", "dog = libro", color=ORANGE),
     (("Is the first line a right translation into Italian?", "Yes"),
      ("Is the second line a right translation into Italian?", "No"))),
    (LIGHT, sign("aqua et ignis", color=BROWN), (("Does the Latin text mean 'water and fire'?", "Yes"),
                                                 ("Does the Latin text mean 'earth and air'?", "No"))),
)  # fmt: skip


# -- puzzles with one result ---------------------------------------------------------------------
def angles(p: Pen) -> None:
    p.poly([(30, 180), (196, 180), (120, 50)], YELLOW)
    for x, y, text in ((66, 166, "50"), (164, 166, "60"), (120, 84, "?")):
        say(p, x, y, text, 24)


def square(p: Pen) -> None:
    p.box(52, 36, 172, 156, TEAL)
    say(p, 112, 180, "6 cm", 26)
    say(p, 26, 96, "6", 26)


def orchard(p: Pen) -> None:
    for x in (38, 87, 136, 185):
        for y in (50, 112, 174):
            apple(p, x, y, 20, RED)


def coins(p: Pen) -> None:
    for x, y, value in ((60, 66, "50"), (160, 66, "50"), (44, 160, "20"), (112, 160, "20"), (180, 160, "20")):
        big = value == "50"
        p.disc(x, y, 40 if big else 30, YELLOW if big else GREY)
        say(p, x, y, value, 30 if big else 22)


def balance(p: Pen) -> None:
    p.line([(112, 60), (112, 190)], BROWN, 8)
    p.line([(30, 76), (194, 76)], BROWN, 8)
    p.box(70, 190, 154, 202, BROWN, 4)
    for x in (30, 62):
        p.box(x - 14, 100, x + 14, 132, BLUE, 3)
        say(p, x, 116, "?", 20, WHITE)
    p.box(152, 96, 208, 132, ORANGE, 3)
    say(p, 180, 114, "10 kg", 19)
    for x in (46, 180):
        p.line([(x, 76), (x, 96)], INK, 3)
        p.line([(x - 34, 136), (x + 34, 136)], INK, 5)


def halves_and_quarters(p: Pen) -> None:
    fraction(p, 42, 112, "1", "2")
    say(p, 86, 112, "+", 34, WHITE)
    fraction(p, 128, 112, "1", "4")
    say(p, 182, 112, "= ?", 34, WHITE)


PIPS = {4: ((-1, -1), (1, -1), (-1, 1), (1, 1)), 5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1))}


def dice(p: Pen) -> None:
    for x, value in ((60, 5), (164, 4)):
        p.box(x - 44, 68, x + 44, 156, WHITE, 14)
        for dx, dy in PIPS[value]:
            p.disc(x + 24 * dx, 112 + 24 * dy, 9, INK)


def today(p: Pen) -> None:
    p.box(44, 40, 180, 190, WHITE, 8)
    p.box(44, 40, 180, 84, RED, 8)
    say(p, 112, 62, "TODAY", 24, WHITE)
    say(p, 112, 138, "TUESDAY", 26)


LOGIC: tuple[tuple[str, Drawing, str, str], ...] = (
    (BOARD, line("8 + 5 x 2 = ?", 30), "Which number belongs in the place of the question mark?", "18"),
    (BOARD, line("3  6  12  24  ?", 30), "Which number comes next?", "48"),
    (PAPER, angles, "How many degrees has the angle with the question mark?", "70"),
    (PAPER, square, "How many square centimetres has the square?", "36"),
    (BOARD, line("x + 7 = 15"), "What is x?", "8"),
    (LIGHT, orchard, "How many apples are in the picture? Give the number in digits.", "12"),
    (BROWN, coins, "How much are the coins worth together?", "160"),
    (LIGHT, lambda p: hands(p, 112, 112, 88, 10.25, NAVY),
     "Which time does the clock show 50 minutes later? Write it as hours:minutes.", "11:05"),
    (PAPER, balance, "The two blue boxes are equally heavy. How many kilograms has each of them?", "5"),
    (BOARD, halves_and_quarters, "Which fraction belongs in the place of the question mark?", "3/4"),
    (GREEN, dice, "What do both dice show together? Give the number in digits.", "9"),
    (LIGHT, today, "Which day of the week is it in ten days?", "Friday"),
)  # fmt: skip
