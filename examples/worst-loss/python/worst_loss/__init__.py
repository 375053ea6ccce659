"""A core of faircast with the scheme worst-loss in it: `faircast` finds it by itself once this is installed."""
