"""Which runs go to which worker: sizes of batches, what becomes of those whose worker dies."""

from __future__ import annotations

import random

from faircast.engine.batches import AHEAD, DEATHS, Batch, Dispatch


def test_batches_grow_to_a_second_of_work_and_end_in_small_pieces() -> None:
    dispatch = Dispatch(400)
    dispatch.join("a", 1)
    sizes = []
    while not dispatch.is_done:
        batch = dispatch.next("a")
        assert batch is not None
        sizes.append(len(batch.places))
        dispatch.answered("a", batch.number, 0.05 * len(batch.places))
    assert sizes[:3] == [1, 20, 20], "nothing is known of the first; then 20 runs of 50 ms are a second"
    assert sizes[-3:] == [2, 1, 1], "half of what is left: there may be two batches on the worker"
    assert sum(sizes) == 400


def test_a_long_run_is_a_batch_of_its_own() -> None:
    dispatch = Dispatch(100)
    dispatch.join("a", 1)
    for _ in range(5):
        batch = dispatch.next("a")
        assert batch is not None
        assert len(batch.places) == 1
        dispatch.answered("a", batch.number, 20.0)


def test_a_worker_has_so_many_batches_for_each_run_at_once() -> None:
    dispatch = Dispatch(100)
    dispatch.join("a", 3)
    assert [dispatch.next("a") is not None for _ in range(AHEAD * 3 + 1)] == [True] * AHEAD * 3 + [False]


def sent(dispatch: Dispatch, worker: str) -> list[Batch]:
    found = []
    while (batch := dispatch.next(worker)) is not None:
        found.append(batch)
    return found


def test_runs_of_a_worker_that_died_go_out_alone_behind_all_others() -> None:
    dispatch = Dispatch(5)
    dispatch.join("a", 1)
    dispatch.join("b", 1)
    assert [batch.places for batch in sent(dispatch, "a")] == [(0,), (1,)]
    dispatch.leave("a", "killed")
    assert not dispatch.failed
    first, second = sent(dispatch, "b")
    assert (first.places, second.places, first.alone) == ((2,), (3,), False)
    dispatch.answered("b", first.number, 100.0)
    (third,) = sent(dispatch, "b")
    dispatch.answered("b", second.number, 100.0)
    assert third.places == (4,)
    assert sent(dispatch, "b") == [], "a suspect waits until nothing else is on the worker"
    dispatch.answered("b", third.number, 100.0)
    (alone,) = sent(dispatch, "b")
    assert (alone.places, alone.alone) == ((0,), True), "one, though there is room for two"
    dispatch.answered("b", alone.number, 100.0)
    (alone,) = sent(dispatch, "b")
    assert (alone.places, alone.alone) == ((1,), True)
    assert not dispatch.is_done
    dispatch.answered("b", alone.number, 100.0)
    assert dispatch.is_done


def test_a_run_is_given_up_when_its_worker_died_three_times_and_nothing_else_was_there() -> None:
    dispatch = Dispatch(2)
    dispatch.join(0, 1)
    first, _ = sent(dispatch, 0)  # type: ignore[arg-type]
    dispatch.leave(0, "killed")
    for time in range(1, DEATHS + 2):
        dispatch.join(time, 1)
        (alone,) = sent(dispatch, time)  # type: ignore[arg-type]
        if time == 2:
            assert alone.places == (1,), "the one that has killed none while it was alone is sooner"
            dispatch.answered(time, alone.number, 1.0)
            (alone,) = sent(dispatch, time)  # type: ignore[arg-type]
        assert (alone.places, alone.alone) == ((0,), True)
        assert dispatch.failed == {}
        dispatch.leave(time, f"killed {time}")
        if len([time]) and time == DEATHS:
            break
    assert first.places == (0,)
    assert dispatch.failed == {0: f"killed {DEATHS}"}
    assert dispatch.is_done


def test_what_was_answered_before_memory_failed_is_not_asked_again() -> None:
    dispatch = Dispatch(60)
    dispatch.join("a", 1)
    (first, _) = sent(dispatch, "a")
    dispatch.answered("a", first.number, 0.1)
    (batch,) = sent(dispatch, "a")
    assert batch.places == tuple(range(2, 12))
    dispatch.lost("a", batch.number, "no memory", but=[2, 3, 4])
    dispatch.leave("a", "ended")
    dispatch.join("b", 1)
    asked: list[int] = []
    while not dispatch.is_done:
        for one in sent(dispatch, "b"):
            asked += one.places
            dispatch.answered("b", one.number, 0.1)
    assert sorted(asked) == [1, *range(5, 60)], "2, 3 and 4 are answered, 1 was on the worker that ended"


def test_whatever_dies_every_run_is_answered_once_or_given_up_for_a_reason_of_its_own() -> None:
    for seed in range(200):
        dice = random.Random(seed)
        count, killers = dice.randint(1, 60), set()
        for place in range(count):
            if dice.random() < 0.05:
                killers.add(place)
        dispatch, workers, done = Dispatch(count), 0, []
        on: dict[int, list[Batch]] = {}
        while not dispatch.is_done:
            while len(on) < 3:
                workers += 1
                dispatch.join(workers, dice.randint(1, 2))
                on[workers] = []
            for worker, batches in on.items():
                while (batch := dispatch.next(worker)) is not None:
                    batches.append(batch)
                    assert not (batch.alone and len(batches) > 1), seed
            worker = dice.choice([worker for worker in on if on[worker]])
            batch = on[worker].pop(0)
            if killers & set(batch.places) or dice.random() < 0.02:
                dispatch.leave(worker, "died")
                del on[worker]
            else:
                dispatch.answered(worker, batch.number, 0.1 * len(batch.places))
                done += batch.places
        assert len(done) == len(set(done)), seed
        assert sorted([*done, *dispatch.failed]) == list(range(count)), seed
        assert killers <= set(dispatch.failed), seed
