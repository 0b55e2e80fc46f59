# doxeval as a command: docker run --rm -v "$PWD:/data" doxeval eval runs/*.jsonl -q answers.jsonl
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml setup.py README.md LICENSE ./
COPY src src
RUN python -m venv /opt/doxeval && /opt/doxeval/bin/pip install --no-cache-dir . && /opt/doxeval/bin/pip uninstall --yes pip

FROM python:3.12-slim
COPY --from=build /opt/doxeval /opt/doxeval
RUN useradd --create-home --uid 1000 reader
USER 1000
WORKDIR /data
ENTRYPOINT ["/opt/doxeval/bin/doxeval"]
CMD ["--help"]
