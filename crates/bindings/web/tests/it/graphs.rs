//! Requests about programs with graphs made node by node.

use super::ask;
use serde_json::{Value, json};

fn run(source: &str) -> Value {
    ask(&json!({ "do": "run", "source": source, "check": true }))
}

#[test]
fn a_graph_runs_its_nodes_after_the_nodes_that_they_depend_on() {
    let source = r#"#include <cstdio>
__global__ void scale(int *x, int factor) { x[threadIdx.x] = x[threadIdx.x] * factor + 1; }
void CUDART_CB say(void *data) { printf("host %d\n", *(int *)data); }
int main() {
    int *device, host[4] = {}, number = 7, factor = 10, other = 100;
    cudaMalloc(&device, sizeof(host));
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t fill, kernel, copy, call, empty;
    // The copy is created first and runs last.
    cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, host, device, sizeof(host), cudaMemcpyDeviceToHost);
    cudaMemsetParams set = {};
    set.dst = device; set.value = 3; set.elementSize = 4; set.width = 4; set.height = 1;
    cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &set);
    void *arguments[] = {&device, &factor};
    cudaKernelNodeParams launch = {};
    launch.func = (void *)scale; launch.gridDim = dim3(1); launch.blockDim = dim3(4); launch.kernelParams = arguments;
    cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &launch);
    cudaHostNodeParams function = {say, &number};
    cudaGraphAddHostNode(&call, graph, &kernel, 1, &function);
    cudaGraphAddEmptyNode(&empty, graph, &call, 1);
    cudaGraphAddDependencies(graph, &empty, &copy, 1);
    size_t count = 0;
    cudaGraphGetNodes(graph, nullptr, &count);
    cudaGraphNodeType type;
    cudaGraphNodeGetType(kernel, &type);
    printf("%d nodes, %d\n", (int)count, type == cudaGraphNodeTypeKernel);
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, nullptr, nullptr, 0);
    cudaGraphLaunch(ready, 0);
    cudaDeviceSynchronize();
    printf("%d %d\n", host[0], host[3]);
    // Another argument, in the executable graph only.
    arguments[1] = &other;
    cudaGraphExecKernelNodeSetParams(ready, kernel, &launch);
    cudaGraphLaunch(ready, 0);
    cudaGraphExec_t again;
    cudaGraphInstantiate(&again, graph, nullptr, nullptr, 0);
    cudaDeviceSynchronize();
    printf("%d\n", host[0]);
    cudaGraphLaunch(again, 0);
    cudaDeviceSynchronize();
    printf("%d\n", host[0]);
    // A graph as a node of another one.
    cudaGraph_t outer;
    cudaGraphNode_t child;
    cudaGraphCreate(&outer, 0);
    cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph);
    cudaGraphInstantiate(&again, outer, nullptr, nullptr, 0);
    cudaGraphLaunch(again, 0);
    cudaGraphDestroy(graph);
    return cudaGetLastError();
}
"#;
    let answer = run(source);
    let expected = "5 nodes, 1\nhost 7\n31 31\nhost 7\n301\nhost 7\n31\nhost 7\n";
    assert_eq!((&answer["output"], &answer["exit"]), (&json!(expected), &json!(0)), "{answer}");
    assert_eq!(answer["findings"], json!([]), "{answer}");
}

#[test]
fn wrong_nodes_are_findings_at_their_calls() {
    let finding = |body: &str| {
        let source = format!(
            "int main() {{\n    cudaGraph_t graph;\n    cudaGraphNode_t a, b;\n    cudaGraphCreate(&graph, 0);\n    cudaGraphAddEmptyNode(&a, graph, nullptr, 0);\n    cudaGraphAddEmptyNode(&b, graph, &a, 1);\n    {body}\n    return 0;\n}}\n"
        );
        let answer = run(&source);
        assert_eq!(answer["findings"][0]["line"], 7, "{answer}");
        answer["findings"][0]["message"].as_str().expect("text").to_owned()
    };
    let cycle = finding("cudaGraphAddDependencies(graph, &b, &a, 1);");
    assert_eq!(cycle, "these dependencies make a cycle (error 1)");
    let gone = finding("cudaGraphDestroyNode(b); cudaGraphAddEmptyNode(&a, graph, &b, 1);");
    assert_eq!(gone, "this is not a node of the graph, or it was destroyed (error 1)");
    let size = finding(
        "cudaMemsetParams set = {}; set.elementSize = 3; cudaGraphAddMemsetNode(&a, graph, nullptr, 0, &set);",
    );
    assert_eq!(size, "a fill has elements of 1, 2 or 4 bytes, not of 3 (error 1)");
}
