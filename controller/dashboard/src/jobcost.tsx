// What a job that was planned would take.
import type { PlanJobResponse } from "./gen/shakedown/v1/farm_pb";
import { orderText } from "./grid";
import { Foreign } from "./parts";
import { cut, duration, plural } from "./text";

export function Cost({ plan }: { plan: PlanJobResponse }) {
  return (
    <section class="card" aria-label="The plan and its cost">
      <h2>The plan and its cost</h2>
      <p class="lead">
        {plural(plan.boots, "boot")}, {plural(plan.builds.length, "build")}, about {duration(Number(plan.estimateS))} on
        one machine.
      </p>
      {plan.remarks.length > 0 && (
        <ul class="notes" aria-label="Remarks">
          {plan.remarks.map((remark) => <li key={remark}><Foreign text={remark} /></li>)}
        </ul>
      )}
      <dl>
        <div><dt>Estimate from</dt><dd><Foreign text={plan.estimateBasis} /></dd></div>
        <div><dt>To build</dt><dd><Foreign text={plan.builds.join(", ") || "nothing"} /></dd></div>
        <div><dt>At hand</dt><dd><Foreign text={plan.have.join(", ") || "nothing"} /></dd></div>
        {plan.detect.map((one) => (
          <div key={one.metric}><dt>To find it in <Foreign text={one.metric} /></dt><dd>
            {one.blocks > 0 ? `${plural(one.blocks, "block")}, ${plural(one.boots, "boot")}, ${duration(Number(one.seconds))}` : "more than 1000 blocks"}
            {one.detectable > 0 && `; as planned it can find ${(100 * one.detectable).toFixed(1)} %`} (<Foreign text={one.basis} />)
          </dd></div>
        ))}
        {plan.detectNote !== "" && <div><dt>Detection</dt><dd><Foreign text={plan.detectNote} /></dd></div>}
        <div><dt>Order</dt><dd><Foreign text={cut(orderText(plan.plan), 300)} /></dd></div>
      </dl>
    </section>
  );
}
