"""Numbers as the papers print them, and which whole ratings can have given them.

Takes: nothing.  Gives: tables of RoleRAG (001), AMADEUS (002, 003) and Emotional RAG (004), as text
so that their digits stay as printed.
"""

from __future__ import annotations

from decimal import Decimal

# AMADEUS, CharacterRAG questions (002, table 6; 003, table 6): ACC in percent.
ACC = "49.56 27.56 18.89 91.33 86.44 78.44 48.00 69.56 68.67 70.00 57.78 28.67 92.67 88.00 78.89"

# AMADEUS, sum |d| and accuracy of 60 letters (003, tables 3 and 5) and of 75 (table 4).
MBTI_ACCURACY = {21: "65.00", 19: "68.33", 14: "76.67", 15: "75.00", 9: "85.00"}
SLOAN_ACCURACY = {21: "72.00", 18: "76.00", 49: "34.67", 14: "81.33"}

# AMADEUS, failures of guided selection in percent (002, table 3): of 450 and of 900 questions.
GS_FAILURE = {450: "25.11", 900: "15.33"}

# AMADEUS, human study (table 2): raters -> mean and median of 30 BFI and of 30 MBTI samples.
HUMAN_STUDY = {
    11: (("3.890", "4.100"), ("3.870", "3.933")),
    14: (("3.970", "4.217"), ("3.902", "4.000")),
}

# Emotional RAG: Acc(Dim), Acc(Full), MSE, MAE by dataset; six rows each (tables II and III).
EMOTIONAL = {
    "InCharacter BFI": """
        0.6242 0.1250 0.1849 0.3728
        0.6369 0.0938 0.1720 0.3625
        0.6815 0.0938 0.1433 0.3024
        0.7261 0.2500 0.1269 0.2878
        0.7006 0.1875 0.1496 0.3121
        0.7006 0.1875 0.1475 0.3082""",
    "InCharacter MBTI": """
        0.6694 0.2188 0.1526 0.3610
        0.6694 0.2812 0.1539 0.3655
        0.7438 0.3438 0.1230 0.2920
        0.7934 0.4688 0.1156 0.2900
        0.7851 0.5000 0.1221 0.2965
        0.7851 0.4375 0.1236 0.2927""",
    "CharacterEval MBTI": """
        0.5161 0.0323 0.1654 0.3757
        0.5887 0.0645 0.1665 0.3736
        0.5968 0.0968 0.1537 0.3455
        0.6210 0.1290 0.1627 0.3536
        0.5887 0.0645 0.1720 0.3655
        0.5806 0.1290 0.1560 0.3477""",
    "Character-LLM MBTI": """
        0.5556 0.1111 0.1330 0.3277
        0.6944 0.3333 0.1125 0.2987
        0.6667 0.1111 0.1376 0.3115
        0.6944 0.1111 0.1361 0.3036
        0.6944 0.2222 0.1258 0.2800
        0.6944 0.3333 0.1140 0.2689""",
}

# RoleRAG, table 1: KE and KH on Harry Potter; KE, KH, UQR on RoleBench-zh and on Character-LLM.
# Six models, each with vanilla, RAG, profile, RoleRAG.
ROLERAG_MAIN = """
    7.457 2.229 4.398 5.731 0.510 8.535 1.794 0.894
    7.786 2.486 4.905 5.367 0.580 8.871 1.538 0.929
    7.650 2.293 5.182 3.890 0.711 8.861 1.570 0.932
    7.550 2.150 5.585 3.961 0.678 9.057 1.404 0.959
    7.579 2.200 4.115 6.232 0.462 7.932 2.613 0.819
    7.486 3.214 4.728 5.389 0.600 8.505 2.084 0.884
    7.057 3.657 5.047 4.843 0.569 8.292 2.174 0.875
    7.750 2.352 5.608 4.126 0.661 8.653 1.961 0.908
    7.614 2.129 6.238 3.352 0.734 8.709 1.656 0.907
    7.707 2.371 6.583 3.020 0.773 9.067 1.356 0.959
    7.764 2.693 6.605 3.020 0.818 9.039 1.382 0.953
    7.986 2.071 6.798 2.538 0.832 9.238 1.231 0.974
    7.414 2.279 6.034 3.709 0.689 8.811 1.419 0.929
    8.243 2.071 6.031 3.546 0.751 9.198 1.352 0.962
    8.021 2.050 6.457 3.014 0.754 9.258 1.272 0.964
    8.564 1.743 6.723 2.622 0.837 9.270 1.265 0.974
    7.643 2.121 5.863 4.202 0.714 8.789 1.492 0.925
    8.493 1.750 5.986 3.930 0.709 8.996 1.311 0.954
    8.221 2.021 6.232 3.754 0.733 9.009 1.317 0.945
    8.821 1.571 6.994 2.697 0.857 9.138 1.211 0.978
    7.193 2.257 6.840 3.745 0.860 8.522 1.639 0.891
    8.179 1.814 7.170 2.246 0.880 8.836 1.379 0.939
    7.450 2.179 7.207 2.429 0.905 8.927 1.351 0.932
    8.221 1.564 7.733 1.689 0.952 8.970 1.313 0.956"""

ROLERAG_MODELS = ("Mistral-Small", "Llama3.1", "Qwen2.5", "Llama3.3", "GPT-4o-mini", "Doubao Pro")

# RoleRAG, tables 2 and 3: general and specific questions of Harry Potter, by people; a row a model:
# KE vanilla, KE RoleRAG, KH vanilla, KH RoleRAG.
ROLERAG_GENERAL = """
    7.486 7.685 1.457 1.485
    7.714 8.342 1.343 1.614
    7.614 8.157 1.414 1.371
    7.414 8.814 1.557 1.086
    7.671 8.957 1.371 1.157
    7.300 8.414 1.586 1.057"""
ROLERAG_SPECIFIC = """
    6.587 7.414 2.600 2.814
    6.842 7.157 3.058 3.070
    7.425 7.902 2.842 2.771
    7.213 8.314 3.000 2.400
    7.314 8.686 2.871 1.986
    7.085 8.029 2.929 2.071"""


def rows(table: str) -> list[list[str]]:
    """The cells of a table, a row a line."""
    return [line.split() for line in table.strip().splitlines()]


def sums_behind(printed: str, n: int) -> list[int]:
    """Whole sums that give ``printed`` as a mean of ``n`` whole ratings.

    ``printed`` may have been rounded or cut off.
    """
    value = Decimal(printed)
    unit = Decimal(1).scaleb(int(value.as_tuple().exponent))
    near = int(value * n)
    return [
        total
        for total in range(max(0, near - 2), near + 3)
        if -unit / 2 <= Decimal(total) / n - value < unit
    ]
