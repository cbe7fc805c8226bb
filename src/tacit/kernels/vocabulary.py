"""Number the words of a text, byte by byte.

Words are runs of bytes between ASCII white space. They are kept in an open-addressing hash table:

    slots    (2^b,)  int32   number of the word in a slot, -1 where the slot is empty (linear probing)
    hashes   (n,)    int64   32-bit hash of word k, so that most unequal words are told apart by one comparison
    offsets  (n+1,)  int64   word k is arena[offsets[k] : offsets[k+1]]
    arena    (m,)    uint8   the bytes of all words, one after the other
    state    (2,)    int64   how many words are known; 1 where the text so far ends inside a sentence, else 0

The caller makes room before a call: a block of m bytes brings at most (m+1)//2 new words and m new bytes.
"""

import numpy as np

from tacit.kernels._jit import strict

BORDER = -1
_PRIME = 16777619
_START = 2166136261
_LOW = 0xFFFFFFFF


@strict
def number_words(block, break_lines, slots, hashes, offsets, arena, state, tokens):
    """Write the word numbers of ``block`` into ``tokens`` and return how many were written.

    The block must begin and end at a border between words. Where ``break_lines``, a line's end writes BORDER; empty
    lines write nothing.
    """
    known = state[0]
    inside = state[1]
    mask = slots.shape[0] - 1
    size = block.shape[0]
    written = 0
    position = 0
    while position < size:
        byte = np.int64(block[position])
        if byte == 32 or 9 <= byte <= 13:
            if break_lines and byte == 10 and inside == 1:
                tokens[written] = BORDER
                written += 1
                inside = 0
            position += 1
            continue
        start = position
        value = np.int64(_START)
        while position < size:
            byte = np.int64(block[position])
            if byte == 32 or 9 <= byte <= 13:
                break
            # FNV-1a, kept to 32 bits so that nothing overflows.
            value = ((value ^ byte) * _PRIME) & _LOW
            position += 1
        length = position - start
        slot = (value ^ (value >> 15)) & mask
        while True:
            word = np.int64(slots[slot])
            if word < 0:
                slots[slot] = known
                hashes[known] = value
                first = offsets[known]
                for k in range(length):
                    arena[first + k] = block[start + k]
                offsets[known + 1] = first + length
                word = known
                known += 1
                break
            if hashes[word] == value and offsets[word + 1] - offsets[word] == length:
                first = offsets[word]
                same = True
                for k in range(length):
                    if arena[first + k] != block[start + k]:
                        same = False
                        break
                if same:
                    break
            slot = (slot + 1) & mask
        tokens[written] = word
        written += 1
        inside = 1
    state[0] = known
    state[1] = inside
    return written


@strict
def fill_slots(slots, hashes, known):
    """Put the first ``known`` words into an empty table."""
    mask = slots.shape[0] - 1
    for word in range(known):
        value = hashes[word]
        slot = (value ^ (value >> 15)) & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = word


@strict
def renumber(tokens, numbers):
    """Replace word k by ``numbers[k]`` in place, close the gaps of words whose number is negative, return the length.

    Borders stay; several in a row become one, and none is left at the beginning.
    """
    written = 0
    for position in range(tokens.shape[0]):
        token = tokens[position]
        if token >= 0:
            token = numbers[token]
            if token < 0:
                continue
        elif written == 0 or tokens[written - 1] < 0:
            continue
        tokens[written] = token
        written += 1
    return written


@strict
def count_tokens(tokens, counts):
    """Add the number of times that each word occurs to ``counts``."""
    for position in range(tokens.shape[0]):
        if tokens[position] >= 0:
            counts[tokens[position]] += 1
