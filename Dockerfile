# meshcast in a container: the program is the entry point, files of the host's are in /data.
#
#     docker build -t meshcast .
#     docker run --rm -v "$PWD:/data" --user "$(id -u):$(id -g)" meshcast compare grid.mcast
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
    gcc libc6-dev make libarchive-dev zlib1g-dev libjansson-dev libmetis-dev libsqlite3-dev
COPY . /source
WORKDIR /source
RUN make -j"$(nproc)" all && make install PREFIX=/usr/local DESTDIR=/stage

FROM debian:12-slim
# gnuplot-nox draws the pictures
RUN apt-get update && apt-get install -y --no-install-recommends \
    libarchive13 zlib1g libjansson4 libmetis5 libsqlite3-0 gnuplot-nox && rm -rf /var/lib/apt/lists/*
COPY --from=build /stage/usr/local /usr/local
RUN ldconfig && useradd --no-create-home --shell /usr/sbin/nologin meshcast
USER meshcast
WORKDIR /data
ENTRYPOINT ["meshcast"]
CMD ["--help"]
