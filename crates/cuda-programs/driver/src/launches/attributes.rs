//! Attributes of streams and kernel nodes (`CUlaunchAttributeID`). They are stored and can be read back; for kernel nodes, cooperative launch
//! and cluster shape also take effect.

use crate::api::api;
use crate::graphs::work::{Node, Work};
use crate::launches::launch::{CLUSTER, COOPERATIVE};
use crate::pointers::*;
use crate::state::{Handle, driver, lock, table};
use crate::status::{Result, Status};
use crate::streams::stream::{AttributeValue, Stream};

/// Stream attributes: access policy, synchronization policy, priority, memory synchronization domains.
const OF_STREAMS: [u32; 5] = [1, SYNCHRONIZATION, PRIORITY, DOMAINS, 10];
/// Node attributes: the same except synchronization policy, plus clusters, cluster scheduling, and shared memory
/// carveout.
const OF_NODES: [u32; 9] = [1, COOPERATIVE, CLUSTER, 5, PRIORITY, DOMAINS, 10, 11, 14];

const SYNCHRONIZATION: u32 = 3;
const PRIORITY: u32 = 8;
const DOMAINS: u32 = 9;

/// Default value of an attribute.
fn first(attribute: u32) -> AttributeValue {
    let mut value = [0; 16];
    match attribute {
        SYNCHRONIZATION => value[0] = 1, // automatic
        DOMAINS => value[0] = 0x0100,    // domain 0 for local launches, 1 for remote ones, as bytes
        _ => {}
    }
    value
}

/// Reads a value.
fn read(value: In<'_, AttributeValue>) -> Result<AttributeValue> {
    value.find().ok_or(Status::InvalidValue)
}

fn of_stream(stream: Option<&Stream>, attribute: u32) -> Result<AttributeValue> {
    if !OF_STREAMS.contains(&attribute) {
        return Err(Status::InvalidValue);
    }
    let set = stream.and_then(|stream| lock(&stream.attributes).get(&attribute).copied());
    let mut value = set.unwrap_or_else(|| first(attribute));
    if let (PRIORITY, None, Some(stream)) = (attribute, set, stream) {
        value[0] = stream.priority.cast_unsigned();
    }
    Ok(value)
}

/// The value of an attribute of a kernel node.
fn of_node(node: &Node, attribute: u32) -> Result<AttributeValue> {
    let work = node.work();
    let Work::Launch(launch, _) = &*work else { return Err(Status::InvalidValue) };
    if !OF_NODES.contains(&attribute) {
        return Err(Status::InvalidValue);
    }
    let mut value = lock(&node.attributes).get(&attribute).copied().unwrap_or(first(attribute));
    match attribute {
        COOPERATIVE => value[0] = launch.cooperative.into(),
        CLUSTER => value[..3].copy_from_slice(&launch.cluster.unwrap_or_default()),
        _ => {}
    }
    Ok(value)
}

fn set_of_node(node: &Node, attribute: u32, value: AttributeValue) -> Result {
    if !OF_NODES.contains(&attribute) {
        return Err(Status::InvalidValue);
    }
    let mut work = node.work();
    let Work::Launch(launch, _) = &mut *work else { return Err(Status::InvalidValue) };
    match attribute {
        COOPERATIVE => launch.cooperative = value[0] != 0,
        CLUSTER => {
            let shape = [value[0], value[1], value[2]];
            launch.cluster = (!shape.contains(&0)).then_some(shape);
        }
        _ => drop(lock(&node.attributes).insert(attribute, value)),
    }
    Ok(())
}

api! {
    fn cuStreamGetAttribute(stream: Handle, attribute: u32, value: Out<'_, AttributeValue>) {
        let found = of_stream(driver()?.stream(stream)?.as_deref(), attribute)?;
        value.store(found)
    }

    fn cuStreamSetAttribute(stream: Handle, attribute: u32, value: In<'_, AttributeValue>) {
        let stream = driver()?.stream(stream)?;
        of_stream(stream.as_deref(), attribute)?;
        let value = read(value)?;
        // Policies of a thread that synchronizes.
        if attribute == SYNCHRONIZATION && value[0] > 4 {
            return Err(Status::InvalidValue);
        }
        // Default streams store no attributes.
        if let Some(stream) = stream {
            lock(&stream.attributes).insert(attribute, value);
        }
        Ok(())
    }

    fn cuStreamCopyAttributes(to: Handle, from: Handle) {
        let (to, from) = (driver()?.stream(to)?, driver()?.stream(from)?);
        let values = from.map(|from| lock(&from.attributes).clone()).unwrap_or_default();
        if let Some(to) = to {
            lock(&to.attributes).extend(values);
        }
        Ok(())
    }

    fn cuGraphKernelNodeGetAttribute(node: Handle, attribute: u32, value: Out<'_, AttributeValue>) {
        let found = of_node(&*table::<Node>().some(node)?, attribute)?;
        value.store(found)
    }

    fn cuGraphKernelNodeSetAttribute(node: Handle, attribute: u32, value: In<'_, AttributeValue>) {
        set_of_node(&*table::<Node>().some(node)?, attribute, read(value)?)
    }

    fn cuGraphKernelNodeCopyAttributes(to: Handle, from: Handle) {
        let (to, from) = (table::<Node>().some(to)?, table::<Node>().some(from)?);
        for attribute in OF_NODES {
            let value = of_node(&from, attribute)?;
            set_of_node(&to, attribute, value)?;
        }
        Ok(())
    }
}
