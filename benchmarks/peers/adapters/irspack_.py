"""irspack: implicit ALS with frequency-scaled regularization."""

from importlib.metadata import version

from irspack import IALSRecommender

VERSION = version("irspack")


def fit(train, threads, *, factors=64, alpha0=0.2, reg=0.01, epochs=12):
    model = IALSRecommender(train, n_components=factors, alpha0=alpha0, reg=reg, n_threads=threads, train_epochs=epochs)
    model.learn()
    return model.get_user_embedding(), model.get_item_embedding()
