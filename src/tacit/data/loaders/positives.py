"""Sets that are positives from the start: check-ins of Gowalla, objects in the images of COCO."""

from itertools import chain
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from tacit.data.compressed import read_text
from tacit.data.interactions import Interactions
from tacit.data.loaders.folder import find


def load_gowalla() -> tuple[Interactions, Interactions]:
    """Training and test part of Gowalla as LightGCN split it: 810,128 and 217,242 pairs of 29,858 users and 40,981
    places, the split on which graph recommenders publish Recall@20 and NDCG@20."""
    where = "github.com/kuandeng/LightGCN (Data/gowalla)"
    parts = [_lists(find("gowalla", name, where)) for name in ("train.txt", "test.txt")]
    shape = (max(users.max() for users, _ in parts) + 1, max(items.max() for _, items in parts) + 1)
    train, test = (
        Interactions.from_matrix(sp.csr_array((np.ones(len(users), np.float32), (users, items)), shape=shape))
        for users, items in parts
    )
    return train, test


def load_coco() -> Interactions:
    """15,000 images × 80 kinds of objects of COCO, a positive where the object is in the image (lists of HashNet)."""
    where = "github.com/thuml/HashNet (data/coco)"
    names: list[str] = []
    flags: list[list[str]] = []
    for part in ("train.txt", "test.txt"):
        for line in read_text(find("image-labels/coco", part, where)).splitlines():
            name, *objects = line.split()
            names.append(name)
            flags.append(objects)
    return Interactions.from_matrix(sp.csr_array(np.array(flags, dtype=np.float32)), row_ids=names)


def _lists(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Users and items of the pairs in a file with a line for each user: the user, then the items."""
    lines = [np.array(line.split(), dtype=np.int64) for line in read_text(path).splitlines()]
    users = np.repeat([line[0] for line in lines if len(line)], [len(line) - 1 for line in lines if len(line)])
    items = np.fromiter(chain.from_iterable(line[1:] for line in lines), np.int64, count=len(users))
    return users, items
