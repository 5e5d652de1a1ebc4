class RLHFDataset:
    pass
