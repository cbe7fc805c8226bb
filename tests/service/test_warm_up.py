"""Every model has answered once before the service says that it is ready, and a fresh file before it is swapped in."""

from tacit.neighbours.first_answers import allowance
from tacit.service import questions
from tacit.service.app import create_app


def test_models_have_answered_before_the_service_is_ready(files, tmp_path, monkeypatch):
    service = create_app(files.values(), store=tmp_path / "store").service
    answered = []

    def noting(name, answer):
        def noted(served, ask, limits):
            found = answer(served, ask, limits)
            answered.append((served.name, name, service.ready))
            return found

        return noted

    noted = {name: (kind, needs, noting(name, answer)) for name, (kind, needs, answer) in questions.ASKS.items()}
    monkeypatch.setattr(questions, "ASKS", noted)
    monkeypatch.setattr(allowance, "left", 1_000_000)
    service.start()
    try:
        assert allowance.left == 0, "kernels answer from the first question on"
        assert {one[:2] for one in answered} == {
            ("shop", "recommend"), ("ratings", "predict"), ("tags", "tags"), ("words", "neighbours"),
            ("grades", "grade"),
        }  # fmt: skip
        assert not any(ready for _, _, ready in answered)
        answered.clear()
        service.reload("shop")
        assert [one[:2] for one in answered] == [("shop", "recommend")]
    finally:
        service.stop()
