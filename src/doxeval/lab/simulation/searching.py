"""Simulated readers who look for ideal elements: PRUM's, EPRUM's and ERRU's."""

from __future__ import annotations

import numpy as np

from doxeval.extend import Aligned
from doxeval.lab.simulation.crowd import GROUPS, NEVER, Crowd, chances_of
from doxeval.reader.consulted import consulted, result_nodes, ties
from doxeval.reader.ideal_search import Search, elements_in_all
from doxeval.reader.navigation.base import Array, navigation_of


def simulated_first_sights(aligned: Aligned, topic: int, search: Search, crowd: Crowd, place: Array) -> Array:
    """The place at which each reader first sees each ideal element of a topic, NEVER if at none.

    `place` is that of each result, for all or for each reader. A node leads on once, from its first place.
    """
    elements, model = search.elements(aligned.ground), navigation_of(aligned.ground, search.nav)
    trees, rows = result_nodes(aligned), aligned.by_topic.slice(topic)
    lists, at = trees.nodes.take(np.arange(len(aligned))[rows])
    spot = np.stack([trees.doc[rows][lists.row], trees.node[at]])
    (doc, node), copy = np.unique(spot, axis=1, return_inverse=True)
    places = np.full((len(doc), *place.shape[:-1]), NEVER)
    np.minimum.at(places, copy.ravel(), place.T[lists.row])
    pair = np.zeros(len(doc), dtype=np.int64)
    pair[copy.ravel()] = aligned.pair[rows][lists.row]
    letters = elements.coverage_at(pair, node) if model.minds_coverage else None
    ideals, wanted = elements.positive, elements.positive.by_topic.slice(topic)
    sights = np.full((len(crowd), wanted.stop - wanted.start), NEVER)
    for column, ideal in zip(sights.T, range(wanted.start, wanted.stop), strict=True):
        there = np.full(len(doc), ideals.doc[ideal]), np.full(len(doc), ideals.node[ideal])
        chances = chances_of(model, doc, node, *there, letters)
        chances[:, (doc == there[0]) & (node == there[1])] = 1.0
        column[:] = crowd.first_reached(model, chances, places.T)
    return sights


def searches(aligned: Aligned, search: Search, universe: int | None, crowd: Crowd) -> Array:
    """For readers who want r = 1, 2, ... ideal elements, means of each group: `[group, column, element]`.

    The columns are the results that led to something new, the results consulted, and r / the rank at which
    the r-th was seen, 0 where it never was. Beyond the list the other elements come in random order.
    """
    by_topic = search.elements(aligned.ground).positive.by_topic
    unranked = elements_in_all(aligned.ground, universe) - consulted(aligned).results
    columns = np.zeros((GROUPS, 3, by_topic.items))
    for topic, ranks in enumerate(aligned.count.tolist()):
        sights = np.sort(
            simulated_first_sights(aligned, topic, search, crowd, np.arange(1, ranks + 1)), axis=1
        )
        seen, wanted = sights < NEVER, 1 + np.arange(sights.shape[1])
        leads = np.cumsum(seen & (np.diff(sights, axis=1, prepend=0) > 0), axis=1)
        expected = np.where(seen, wanted / sights, 0.0)
        for reader, found in enumerate(seen.sum(axis=1).tolist()):
            left = len(wanted) - found
            places = crowd.random.choice(max(unranked[topic], left), size=left, replace=False)
            sights[reader, found:] = ranks + 1 + np.sort(places)
            leads[reader, found:] += np.arange(1, left + 1)
        for column, values in enumerate((leads, sights, expected)):
            for at, value in zip(range(by_topic.items)[by_topic.slice(topic)], values.T, strict=True):
                columns[:, column, at] = crowd.mean(value)
    return columns


def sights_with_ties(aligned: Aligned, search: Search, crowd: Crowd) -> list[Array]:
    """First sights of each topic by readers who read tied results each in an order of their own."""
    tie, sights = ties(aligned), []
    for topic in range(len(aligned.count)):
        rows = aligned.by_topic.slice(topic)
        drawn = tie.first[rows] + crowd.random.random((len(crowd), rows.stop - rows.start))
        place = np.argsort(np.argsort(drawn, axis=1), axis=1)
        sights.append(simulated_first_sights(aligned, topic, search, crowd, place))
    return sights
