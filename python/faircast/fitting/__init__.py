"""A model of levels and correlations, fitted to measured series, that draws traces of receivers.

| module | subject |
|---|---|
| `measured` | files of measurements: the generic CSV, LENS, Mahimahi |
| `grid` | several series on one grid of time |
| `levels` | how often each level is there |
| `copula` | what correlation of normals gives a wanted correlation of ranks |
| `memory` | correlation in time: slots of the scheduler, an autoregression within them |
| `model` | the model: its file, what it says of itself |
| `estimate` | from files to a model |
| `drawing` | from a model to traces |
| `checking` | measured beside drawn |
"""
