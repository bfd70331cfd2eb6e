"""Checks of RMM, cuDF and cuML on the emulated GPU, compared with NumPy, pandas and scikit-learn. `rapids.sh` runs it."""

import cudf
import cuml
import numpy as np
import pandas as pd
import rmm
from checks import check, run

random = np.random.default_rng(1)
table = pd.DataFrame({"key": random.integers(0, 5, 200), "x": random.standard_normal(200), "n": random.integers(0, 100, 200)})
other = pd.DataFrame({"key": np.arange(4), "name": ["ant", "bee", "cat", "dog"]})
words = pd.Series(["alpha beta", "Gamma", "delta epsilon", None, "beta"])
labels = random.integers(0, 3, 120)
points = (random.standard_normal((120, 4)) + 4 * labels[:, None]).astype(np.float32)


@check
def rmm_buffers():
    for resource in (rmm.mr.CudaMemoryResource(), rmm.mr.PoolMemoryResource(rmm.mr.CudaMemoryResource(), 1 << 22), rmm.mr.ManagedMemoryResource()):
        rmm.mr.set_current_device_resource(resource)
        buffer = rmm.DeviceBuffer.to_device(bytes(range(200)))
        yield np.frombuffer(buffer.copy().tobytes(), np.uint8), np.arange(200)
    rmm.mr.set_current_device_resource(rmm.mr.CudaMemoryResource())


@check
def cudf_arithmetic():
    frame = cudf.DataFrame(table)
    yield (frame.x * 2 + frame.n).to_numpy(), table.x * 2 + table.n
    yield [frame.x.sum(), frame.x.std(), frame.n.max()], [table.x.sum(), table.x.std(), table.n.max()]


@check
def cudf_sort():
    found = cudf.DataFrame(table).sort_values(["key", "n", "x"]).to_pandas()
    yield found.x, table.sort_values(["key", "n", "x"]).x


@check
def cudf_groups():
    found = cudf.DataFrame(table).groupby("key").agg({"x": "mean", "n": "sum"}).sort_index().to_pandas()
    expected = table.groupby("key").agg({"x": "mean", "n": "sum"})
    yield found.x, expected.x
    yield found.n, expected.n


@check
def cudf_join():
    found = cudf.DataFrame(table).merge(cudf.DataFrame(other), on="key").to_pandas()
    expected = table.merge(other, on="key")
    yield found.groupby("name").x.sum(), expected.groupby("name").x.sum()


@check
def cudf_filter_and_unique():
    frame = cudf.DataFrame(table)
    yield frame[frame.x > 0].n.to_numpy(), table[table.x > 0].n
    yield frame.key.value_counts().sort_index().to_numpy(), table.key.value_counts().sort_index()


@check
def cudf_strings():
    found = cudf.Series(words)
    yield found.str.upper().to_pandas().fillna("") == words.str.upper().fillna(""), [True] * 5
    yield found.str.contains("beta").fillna(False).to_numpy(), words.str.contains("beta").fillna(False).astype(bool)
    yield found.str.len().fillna(-1).to_numpy(), words.str.len().fillna(-1)


@check
def cudf_rolling():
    yield cudf.Series(table.x).rolling(5).mean().fillna(0).to_numpy(), table.x.rolling(5).mean().fillna(0)


@check
def cudf_parquet():
    cudf.DataFrame(table).to_parquet("table.parquet")
    yield cudf.read_parquet("table.parquet").x.to_numpy(), table.x


@check
def cudf_csv():
    table.to_csv("table.csv", index=False)
    yield cudf.read_csv("table.csv").x.to_numpy(), table.x


@check
def cuml_regression():
    from sklearn.linear_model import LinearRegression

    found = cuml.LinearRegression().fit(points, points[:, 0] * 2 + labels)
    yield found.coef_, LinearRegression().fit(points, points[:, 0] * 2 + labels).coef_


@check
def cuml_logistic():
    found = cuml.LogisticRegression().fit(points, labels.astype(np.float32)).predict(points)
    yield np.mean(np.asarray(found) == labels) > 0.9, True


@check
def cuml_kmeans():
    found = cuml.KMeans(n_clusters=3, random_state=1, n_init=2).fit(points)
    yield np.sort(found.cluster_centers_[:, 0]), [points[labels == k, 0].mean() for k in range(3)]


@check
def cuml_neighbors():
    from sklearn.neighbors import NearestNeighbors

    found, _ = cuml.neighbors.NearestNeighbors(n_neighbors=3).fit(points).kneighbors(points)
    yield found, NearestNeighbors(n_neighbors=3).fit(points).kneighbors(points)[0]


@check
def cuml_components():
    from sklearn.decomposition import PCA

    yield cuml.PCA(n_components=2).fit(points).explained_variance_, PCA(n_components=2).fit(points).explained_variance_


@check
def cuml_forest():
    found = cuml.ensemble.RandomForestClassifier(n_estimators=4, max_depth=4, random_state=1).fit(points, labels.astype(np.int32)).predict(points)
    yield np.mean(np.asarray(found) == labels) > 0.9, True


@check
def cuml_clusters():
    found = cuml.DBSCAN(eps=2.0, min_samples=3).fit_predict(points)
    from sklearn.cluster import DBSCAN

    yield len(set(np.asarray(found).tolist())), len(set(DBSCAN(eps=2.0, min_samples=3).fit_predict(points).tolist()))


run(f"RMM {rmm.__version__}, cuDF {cudf.__version__}, cuML {cuml.__version__}")
