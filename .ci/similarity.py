"""How alike two pictures are in structure (Wang et al. 2004), from their greys: 1 for equal ones."""

import numpy as np
from PIL import Image

WINDOW = 8


def greys(path, size=None):
    """The picture in greys, made smaller so that single pixels, which differ between renderers, do not count."""
    picture = Image.open(path).convert("L")
    return np.asarray(picture.resize(size or (picture.width // 2, picture.height // 2), Image.BOX), dtype=float)


def similarity(one, other):
    """The mean over windows of 8 x 8 pixels in which one of them shows something."""
    if one.shape != other.shape:
        return 0.0
    rows, columns = (side // WINDOW for side in one.shape)

    def windows(picture):
        cut = picture[: rows * WINDOW, : columns * WINDOW].reshape(rows, WINDOW, columns, WINDOW)
        return cut.transpose(0, 2, 1, 3).reshape(rows * columns, -1)

    a, b = windows(one), windows(other)
    mean_a, mean_b = a.mean(1), b.mean(1)
    both = (a * b).mean(1) - mean_a * mean_b
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    likeness = (2 * mean_a * mean_b + c1) * (2 * both + c2)
    alike = likeness / ((mean_a**2 + mean_b**2 + c1) * (a.var(1) + b.var(1) + c2))
    busy = np.maximum(a.var(1), b.var(1)) > 1.0
    return float(alike[busy].mean()) if busy.any() else 1.0
