//! A collector of traces: spans are sent to it by OTLP over HTTP, where somebody names one.
//!
//! What the environment says of it (`OTEL_…`) is read by the exporter itself, as in every other program.

use std::time::Duration;

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{self, SdkTracerProvider, SpanData};
use tokio_rustls::rustls::crypto::ring;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use super::failure::Failure;

/// Spans on their way to a collector. Those that are left are sent when it is dropped.
pub(super) struct Collector {
    provider: SdkTracerProvider,
}

impl Collector {
    /// The one that is named by a URL, and otherwise by the environment.
    ///
    /// # Errors
    /// What is named cannot be one.
    pub(super) fn open(url: Option<&str>) -> Result<Option<Self>, Failure> {
        // Whoever sends over TLS needs one, and the first that is installed stays.
        drop(ring::default_provider().install_default());
        let mut exporter = SpanExporter::builder().with_http();
        if let Some(url) = url {
            exporter = exporter.with_endpoint(format!("{}/v1/traces", url.trim_end_matches('/')));
        }
        let exporter = exporter.with_protocol(Protocol::HttpBinary).build().map_err(|error| {
            Failure::usage(format!("traces cannot be sent: {error}"))
                .hint("a collector is named as `http://127.0.0.1:4318`")
        })?;
        let mut resource = Resource::builder();
        if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name("sqlogue");
        }
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(Named(exporter))
            .with_resource(resource.build())
            .build();
        opentelemetry::global::set_text_map_propagator(TraceContextPropagator::new());
        Ok(Some(Self { provider }))
    }

    /// What hands it the spans of sqlogue's own, and no message: those may hold what a person said.
    pub(super) fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: tracing::Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("sqlogue"))
            .with_location(false)
            .with_target(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(|said| said.is_span() && said.target().starts_with("sqlogue")))
    }
}

/// Names spans by what they are about: `node planner` says more in a list than `node`.
#[derive(Debug)]
struct Named(SpanExporter);

impl trace::SpanExporter for Named {
    async fn export(&self, mut batch: Vec<SpanData>) -> OTelSdkResult {
        for span in &mut batch {
            let told =
                |key| span.attributes.iter().find(|told| told.key.as_str() == key).map(|told| &told.value);
            let name = match &*span.name {
                "request" => told("http.request.method")
                    .zip(told("http.route"))
                    .map(|(method, route)| format!("{method} {route}")),
                "run" => told("graph").map(|graph| format!("run {graph}")),
                "node" => told("node").map(|node| format!("node {node}")),
                _ => None,
            };
            span.name = name.map_or(span.name.clone(), Into::into);
        }
        self.0.export(batch).await
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.0.set_resource(resource);
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        // What cannot be sent now is told by the exporter.
        drop(self.provider.shutdown());
    }
}
