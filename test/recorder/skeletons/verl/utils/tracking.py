LOGGED = []


class Tracking:
    def __init__(self, project_name, experiment_name, default_backend="console", config=None):
        pass

    def log(self, data, step, backend=None):
        LOGGED.append((step, dict(data)))
