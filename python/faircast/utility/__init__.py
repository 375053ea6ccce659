"""Network utility maximisation: which rates would be the best ones. See the chapter ``docs/optimum.md``.

| module | subject |
|---|---|
| `problem` | links, demands, utilities |
| `branches` | the unknown rates and what limits them |
| `presolve` | what follows from the rest, left out |
| `max_min` | max-min fair rates, by progressive filling |
| `interior_point` | alpha-fair rates, by an interior-point method |
| `conditions` | whether rates and prices are an optimum |
| `optimum` | both of them with names, prices, distances |
| `dual` | the same by the dual iteration of Low and Lapsley, as a check |
| `network` | the problem of a scenario |
| `beside` | the optimum in the summary of a run |
| `satisfaction` | max-min rates of receivers alone in their sessions |
| `properties` | four fairness properties of layered multicast |
| `multirate` | both in the summary of a run with multirate sessions |
"""
