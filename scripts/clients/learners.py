"""Trains small models by gradient-boosted trees on the GPU and on the CPU and compares the two.

Usage: learners.py [NAME]..., of xgboost and catboost. It needs a CUDA driver, such as that of `lanework exec`. Prints a line for each program;
exit code 1 where a model of the GPU is not as good as the CPU's.
"""

import sys
import time

import numpy as np

random = np.random.default_rng(0)
INPUTS = random.normal(size=(500, 8)).astype(np.float32)
SCORE = INPUTS[:, 0] * INPUTS[:, 1] + INPUTS[:, 2]
CLASSES = (SCORE > 0).astype(int) + (SCORE > 1)
LEAF_FOR_EACH = dict(max_depth=0, grow_policy="lossguide", reg_lambda=0, min_child_weight=0, max_bin=1024)
failures = 0


def row(name, near, figures, began):
    global failures
    failures += not near
    print(f"{name:<40} {'passed' if near else 'failed':<8} {figures}, {time.time() - began:.0f} s", flush=True)


def xgboost():
    import xgboost as xgb

    missing = np.where(random.random(INPUTS.shape) < 0.2, np.nan, INPUTS).astype(np.float32)
    cases = [
        ("regression", INPUTS, SCORE, dict(objective="reg:squarederror")),
        ("classes", INPUTS, CLASSES, dict(objective="multi:softprob", num_class=3)),
        ("missing values", missing, SCORE, dict(objective="reg:squarederror")),
        ("approx", INPUTS, SCORE, dict(objective="reg:squarederror", tree_method="approx")),
        ("ranking", INPUTS, CLASSES, dict(objective="rank:pairwise")),
        ("quantile", INPUTS, SCORE, dict(objective="reg:quantileerror", quantile_alpha=0.5)),
        # Many rows have equal gradients at first, so that several splits are equally good. Here each row with a different gradient
        # gets a leaf of its own, so that the predictions are the gradients.
        ("ndcg", np.arange(500, dtype=np.float32)[:, None], CLASSES, dict(objective="rank:ndcg", **LEAF_FOR_EACH)),
    ]
    for name, inputs, target, parameters in cases:
        rounds = 1 if name == "ndcg" else 3
        began, made = time.time(), []
        for device in ("cpu", "cuda"):
            data = xgb.DMatrix(inputs, target)
            if name in ("ranking", "ndcg"):
                data.set_group([10] * 50)
            model = xgb.train(dict(dict(max_depth=3), **parameters, device=device, verbosity=0), data, rounds)
            made.append(model.predict(data))
        # Where two splits are equally good, sums in another order may select the other one. Most rows agree.
        apart = np.abs(made[0] - made[1])
        row(f"xgboost {name}", np.mean(apart < 1e-3) > 0.95, f"largest difference {apart.max():.1e}", began)


def catboost():
    from catboost import CatBoostClassifier, CatBoostRegressor

    # CatBoost has different algorithms for the CPU and the GPU: borders and scores differ. So the test compares the models' quality.
    common = dict(iterations=4, depth=3, verbose=0, random_seed=1, border_count=32, boosting_type="Plain", bootstrap_type="No")
    devices = [dict(task_type="CPU", score_function="L2"), dict(task_type="GPU", devices="0", gpu_ram_part=0.1)]
    began, errors = time.time(), []
    for device in devices:
        model = CatBoostRegressor(learning_rate=0.5, **common, **device).fit(INPUTS, SCORE)
        errors.append(np.sqrt(np.mean((model.predict(INPUTS) - SCORE) ** 2)))
    row("catboost regression", errors[1] < 1.1 * errors[0], f"errors {errors[0]:.3f} and {errors[1]:.3f}", began)
    began, shares = time.time(), []
    for device in devices:
        model = CatBoostClassifier(learning_rate=0.5, **common, **device).fit(INPUTS, CLASSES > 0)
        shares.append(np.mean(model.predict(INPUTS).astype(str) == np.where(CLASSES > 0, "True", "False")))
    row("catboost classes", shares[1] > shares[0] - 0.05, f"right {shares[0]:.3f} and {shares[1]:.3f}", began)


for wanted in sys.argv[1:] or ["xgboost", "catboost"]:
    {"xgboost": xgboost, "catboost": catboost}[wanted]()
sys.exit(failures > 0)
